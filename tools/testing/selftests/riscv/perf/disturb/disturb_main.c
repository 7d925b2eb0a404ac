// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the tests cannot do from user space. It is asked for by parameters, which each
 * file describes at its beginning:
 *
 * disturb_irq.c	raise, masked, pending
 * disturb_events.c	group, group_type, extended
 * disturb_aux.c	full
 * disturb_sleep.c	doze, dozing, awake, refuses, inhibits
 * disturb_firmware.c	lie, wipes, loud, fences
 * disturb_calls.c	calls, asked
 * disturb_kernel.c	untold, unmapped, probed
 * disturb_registers.c	select, selector, sampling
 */
#include <linux/module.h>

#include "disturb.h"

/**
 * disturb_set_probe() - register a probe, anew if it is, or see that it is not
 * @probe: has an address while it is registered
 * @on: whether it is to be registered
 *
 * As it is after it was registered once, a probe may not be registered again.
 *
 * Return: 0, or an error; then it is not registered.
 */
int disturb_set_probe(struct kprobe *probe, bool on)
{
	int ret;

	if (probe->addr)
		unregister_kprobe(probe);
	probe->addr = NULL;
	probe->flags = 0;
	if (!on)
		return 0;
	ret = register_kprobe(probe);
	if (ret)
		probe->addr = NULL;
	return ret;
}

static int __init disturb_init(void)
{
	int ret = disturb_registers_init();

	if (ret)
		return ret;
	ret = disturb_aux_register();
	if (ret)
		goto err_registers;
	ret = disturb_sleep_init();
	if (ret)
		goto err_aux;
	return 0;

err_aux:
	disturb_aux_unregister();
err_registers:
	disturb_registers_exit();
	return ret;
}
module_init(disturb_init);

static void __exit disturb_exit(void)
{
	disturb_firmware_exit();
	disturb_calls_exit();
	disturb_kernel_exit();
	disturb_sleep_exit();
	disturb_aux_unregister();
	disturb_registers_exit();
}
module_exit(disturb_exit);

MODULE_DESCRIPTION("Disturbs the driver of the performance counters");
MODULE_LICENSE("GPL");
