// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the file of a RISC-V program says besides debug information: its instructions, and
 * where addresses that it loads point at.
 */
#include <string.h>
#include <linux/kernel.h>

#include "riscv-elf.h"

#ifndef R_RISCV_64
#define R_RISCV_64	 2
#define R_RISCV_RELATIVE 3
#endif

/**
 * riscv_elf_is_64() - is this a program for RV64?
 * @elf: any program
 *
 * Return: whether it is.
 */
bool riscv_elf_is_64(Elf *elf)
{
	GElf_Ehdr header;

	return elf && gelf_getehdr(elf, &header) && header.e_machine == EM_RISCV &&
	       header.e_ident[EI_CLASS] == ELFCLASS64;
}

static bool read_section(Elf_Scn *section, u64 offset, void *to, size_t size)
{
	Elf_Data *data = elf_rawdata(section, NULL);

	if (!data || !data->d_buf || offset > data->d_size || size > data->d_size - offset)
		return false;
	memcpy(to, (char *)data->d_buf + offset, size);
	return true;
}

/* A file of debug information alone has sections without what is in them. */
static bool read_at(Elf *elf, u64 addr, u64 flags, void *to, size_t size)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(elf, section))) {
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_PROGBITS &&
		    (header.sh_flags & flags) == flags && header.sh_addr <= addr &&
		    addr < header.sh_addr + header.sh_size)
			return read_section(section, addr - header.sh_addr, to, size);
	}
	return false;
}

/**
 * riscv_elf_code() - read instructions
 * @elf:  the program
 * @pc:   the address of the first one
 * @code: set to them
 * @size: so many bytes
 *
 * Return: whether they are there.
 */
bool riscv_elf_code(Elf *elf, u64 pc, u8 *code, size_t size)
{
	return read_at(elf, pc, SHF_ALLOC | SHF_EXECINSTR, code, size);
}

/* Told of each symbol of the program, and whether it is one of each thread, until it has
 * seen enough
 */
typedef bool (*symbol_fn)(void *arg, const char *name, u64 value, bool of_thread);

static bool walk_table(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, symbol_fn tell,
		       void *arg)
{
	Elf_Data *data = elf_getdata(section, NULL);
	const char *name;
	GElf_Sym symbol;
	size_t i;

	for (i = 0; data && header->sh_entsize && i < header->sh_size / header->sh_entsize; i++) {
		if (!gelf_getsym(data, i, &symbol))
			return false;
		name = elf_strptr(elf, header->sh_link, symbol.st_name);
		if (name && symbol.st_shndx != SHN_UNDEF &&
		    tell(arg, name, symbol.st_value, GELF_ST_TYPE(symbol.st_info) == STT_TLS))
			return true;
	}
	return false;
}

static bool walk_symbols(Elf *elf, symbol_fn tell, void *arg)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(elf, section))) {
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_SYMTAB &&
		    walk_table(elf, section, &header, tell, arg))
			return true;
	}
	return false;
}

static bool is_gp(void *arg, const char *name, u64 value, bool of_thread)
{
	if (of_thread || strcmp(name, "__global_pointer$"))
		return false;
	*(s64 *)arg = value;
	return true;
}

/**
 * riscv_elf_gp() - what is in the global pointer?
 * @elf: the program
 * @gp:  set to the address
 *
 * Return: whether that is known.
 */
bool riscv_elf_gp(Elf *elf, s64 *gp)
{
	return walk_symbols(elf, is_gp, gp);
}

struct tls_walk {
	riscv_elf_tls_fn tell;
	void *arg;
};

static bool tell_tls(void *arg, const char *name, u64 value, bool of_thread)
{
	struct tls_walk *walk = arg;

	if (of_thread)
		walk->tell(walk->arg, name, value);
	return false;
}

/**
 * riscv_elf_tls() - which variables has every thread?
 * @elf:  the program
 * @tell: told of each
 * @arg:  passed to that
 *
 * Compilers for RISC-V do not say in debug information where these are.
 */
void riscv_elf_tls(Elf *elf, riscv_elf_tls_fn tell, void *arg)
{
	struct tls_walk walk = { .tell = tell, .arg = arg };

	walk_symbols(elf, tell_tls, &walk);
}

/* The symbol that a relocation is made with, if it is one of this program */
static bool symbol_value(Elf *elf, size_t table, size_t number, s64 *value)
{
	Elf_Scn *section = elf_getscn(elf, table);
	Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;
	GElf_Sym symbol;

	if (!data || !gelf_getsym(data, number, &symbol) || symbol.st_shndx == SHN_UNDEF)
		return false;
	*value = symbol.st_value;
	return true;
}

static bool relocated(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, u64 at, s64 *to)
{
	Elf_Data *data = elf_getdata(section, NULL);
	GElf_Rela rela;
	size_t i;

	for (i = 0; data && header->sh_entsize && i < header->sh_size / header->sh_entsize; i++) {
		if (!gelf_getrela(data, i, &rela) || rela.r_offset != at)
			continue;
		*to = 0;
		if (GELF_R_TYPE(rela.r_info) != R_RISCV_RELATIVE &&
		    (GELF_R_TYPE(rela.r_info) != R_RISCV_64 ||
		     !symbol_value(elf, header->sh_link, GELF_R_SYM(rela.r_info), to)))
			return false;
		*to += rela.r_addend;
		return true;
	}
	return false;
}

/**
 * riscv_elf_linked() - which address does the linker, or the loader, write there?
 * @elf: the program
 * @at:  the place's address
 * @to:  set to what it points at
 *
 * Return: whether that is known.
 */
bool riscv_elf_linked(Elf *elf, u64 at, s64 *to)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(elf, section))) {
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_RELA &&
		    (header.sh_flags & SHF_ALLOC) && relocated(elf, section, &header, at, to))
			return true;
	}
	return false;
}
