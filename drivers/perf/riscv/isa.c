// SPDX-License-Identifier: GPL-2.0-only
/*
 * The interrupts that come with ISA extensions.
 */
#include <linux/export.h>
#include <linux/irqdomain.h>
#include <linux/module.h>

#include <asm/irq.h>

#include "isa.h"

/**
 * riscv_isa_irq() - get the Linux number of a hart's local interrupt
 * @hwirq: its number in sip
 *
 * Context: task context.
 * Return: the number, or 0 if there is none.
 */
unsigned int riscv_isa_irq(unsigned int hwirq)
{
	struct irq_domain *domain;

	domain = irq_find_matching_fwnode(riscv_get_intc_hwnode(),
					  DOMAIN_BUS_ANY);
	return domain ? irq_create_mapping(domain, hwirq) : 0;
}
EXPORT_SYMBOL_GPL(riscv_isa_irq);

MODULE_DESCRIPTION("What RISC-V perf drivers share");
MODULE_AUTHOR("riscv-perf developers");
MODULE_LICENSE("GPL");
