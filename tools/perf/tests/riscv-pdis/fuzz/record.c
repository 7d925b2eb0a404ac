// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any bytes at all, for libFuzzer: whatever a record holds, what is made of it stays in
 * its place and is what the model says.
 *
 * The input is which bits the hart has, how much room there is for text, whether its
 * registers have 32 bits and how it differs from the core whose codes are known, and then
 * the record.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <linux/perf_event.h>

#include "branch.h"
#include "event.h"
#include "model.h"
#include "riscv-pdis-decoder.h"

/**
 * struct input - what comes before the record
 * @has: the bits of hdrev that the hart has
 * @room: for text, less one
 * @kind: bit 0: 32-bit registers; bits 2:1: another core, which has one number that differs
 */
struct input {
	uint64_t has;
	uint16_t room;
	uint8_t kind;
} __attribute__((packed));

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A copy that ends where memory ends and begins where no word would. */
static uint8_t *copy(const uint8_t *data, size_t size)
{
	uint8_t *at = malloc(size + 1);

	memcpy(at + 1, data, size);
	return at + 1;
}

/* What there is no room for is cut off; else it is the same text. */
static void check_text(const struct riscv_pdis_record *record, const struct model *model,
		       const struct riscv_pdis_core_id *id, size_t room)
{
	const struct riscv_pdis_core *core = riscv_pdis_find_core(id);
	char *buf = malloc(room), all[RISCV_PDIS_TEXT_SIZE];
	size_t len = riscv_pdis_text(record, core, buf, room);

	must(riscv_pdis_text(record, core, all, sizeof(all)) == strlen(all));
	must(strlen(all) < sizeof(all) - 1);
	must(len < room && len == strlen(buf) && !strncmp(all, buf, len));
	must(len == room - 1 || len == strlen(all));
	free(buf);
	model_check_text(model, all);
}

static void check_words(const struct riscv_pdis_record *record, const struct model *model)
{
	must(record->hdrev == model->hdrev);
	must(record->pc == model->pc);
	must(record->time == model->time);
	must(record->lat == model->lat);
	must(record->adr1 == model->adr1);
	must(record->adr2 == model->adr2);
}

/* Where bits are is the compiler's choice. */
static bool is_same(const struct branch_flags *flags, uint64_t expected)
{
	struct branch_flags same = {
		.mispred	= model_bits(expected, 0, 1),
		.predicted	= model_bits(expected, 1, 1),
		.cycles		= model_bits(expected, 4, 16),
		.type		= model_bits(expected, 20, 4),
		.new_type	= model_bits(expected, 26, 4),
	};

	return flags->value == same.value;
}

static void check_meaning(const struct riscv_pdis_record *record, const struct model *model,
			  uint64_t has, const struct riscv_pdis_core_id *id)
{
	struct branch_flags flags;

	must(riscv_pdis_is_known(record) == model->known);
	must(riscv_pdis_is_access(record) == model->access);
	must(riscv_pdis_is_transfer(record) == model->transfer);
	must(riscv_pdis_is_flushed(record) == model->flushed);
	must(riscv_pdis_addr(record) == model->addr);
	must(riscv_pdis_phys_addr(record) == model->phys_addr);
	must(riscv_pdis_data_src(record, has, riscv_pdis_find_core(id)) == model->data_src);
	must(riscv_pdis_ip_flags(record) == model->ip_flags);
	riscv_pdis_branch_flags(record, has, &flags);
	must(is_same(&flags, model->branch_flags));
}

/**
 * LLVMFuzzerTestOneInput() - one record
 * @data: any bytes
 * @size: how many
 *
 * Return: 0.
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct riscv_pdis_record record;
	struct input input;
	struct model model;
	struct riscv_pdis_core_id id;
	unsigned int differs;
	size_t needed;
	uint8_t *bytes;
	bool rv32;

	if (size < sizeof(input))
		return 0;
	memcpy(&input, data, sizeof(input));
	rv32 = input.kind & 1;
	differs = model_bits(input.kind, 1, 2);
	id = (struct riscv_pdis_core_id) {
		.mvendorid	= differs == 1 ? 0x5b7 : 0,
		.marchid	= differs == 2 ? 43 : 42,
		.mimpid		= differs == 3 ? 0 : 0x68706d01,
	};
	needed = rv32 ? 32 : 64;
	if (size < sizeof(input) + needed)
		return 0;
	bytes = copy(data + sizeof(input), needed);
	riscv_pdis_unpack(&record, bytes, rv32);
	model_read(&model, bytes, rv32, input.has,
		   model_is_core(id.mvendorid, id.marchid, id.mimpid));
	free(bytes - 1);
	check_words(&record, &model);
	check_text(&record, &model, &id, 1 + input.room % (2 * RISCV_PDIS_TEXT_SIZE));
	check_meaning(&record, &model, input.has, &id);
	return 0;
}
