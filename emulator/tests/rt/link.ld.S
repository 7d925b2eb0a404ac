/* SPDX-License-Identifier: GPL-2.0-only */
#include PLATFORM_HEADER

ENTRY(_start)

SECTIONS
{
	. = PLATFORM_RAM_BASE;
	.text : { *(.text.start) *(.text .text.*) }
	.rodata : { *(.rodata .rodata.*) *(.srodata .srodata.*) }
	. = ALIGN(4096);
	.data : { *(.data .data.*) *(.sdata .sdata.*) }
	.bss : {
		. = ALIGN(16);
		rt_bss_start = .;
		*(.sbss .sbss.*) *(.bss .bss.*) *(COMMON)
		. = ALIGN(16);
		rt_bss_end = .;
	}
	.stacks (NOLOAD) : {
		. = ALIGN(16);
		. += 0x4000;
		rt_stack_m = .;
		. += 0x2000;
		rt_stack_low = .;
		. += 0x2000;
		rt_stack_strap = .;
	}
	/DISCARD/ : { *(.comment) *(.note.*) *(.eh_frame*) *(.riscv.attributes) }
}
