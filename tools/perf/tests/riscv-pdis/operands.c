// SPDX-License-Identifier: GPL-2.0-only
/*
 * Prints what instructions load or store, by riscv_decode(): a line for each that is read, a
 * number with hexadecimal digits. It is compared with what objdump says of them.
 */
#include <stdio.h>
#include <stdlib.h>

#include "riscv-operands.h"

int main(void)
{
	struct riscv_operands o;
	char line[64];

	while (fgets(line, sizeof(line), stdin)) {
		riscv_decode(strtoul(line, NULL, 16), &o);
		printf("%d %d %d %d %d %d %lld %d\n", o.op, o.length, o.rd, o.rs1, o.rs2, o.bytes,
		       (long long)o.imm, o.word);
	}
	return 0;
}
