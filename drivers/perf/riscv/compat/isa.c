// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which ISA extensions the platform reports: those that the kernel that the modules are
 * built for does not know, and therefore does not list.
 */
#include <linux/acpi.h>
#include <linux/export.h>
#include <linux/of.h>
#include <linux/string.h>

/* An ISA string: a word of single letters, then names, joined by '_'. */
static bool isa_string_has(const char *isa, const char *extension)
{
	size_t len = strlen(extension);

	while ((isa = strchr(isa, '_'))) {
		isa++;
		if (!strncasecmp(isa, extension, len) &&
		    (isa[len] == '_' || isa[len] == '\0'))
			return true;
	}
	return false;
}

static bool isa_of_reports(unsigned int cpu, const char *extension)
{
	struct device_node *node = of_get_cpu_node(cpu, NULL);
	struct property *extensions;
	const char *isa;
	bool found = false;

	if (!node)
		return false;

	of_property_for_each_string(node, "riscv,isa-extensions", extensions, isa)
		found |= !strcasecmp(isa, extension);
	if (!found && !of_property_read_string(node, "riscv,isa", &isa))
		found = isa_string_has(isa, extension);
	of_node_put(node);
	return found;
}

#ifdef CONFIG_ACPI
/*
 * The table names extensions in strings that harts refer to. Harts that differ
 * are not told apart here: an extension counts if all strings have it.
 */
static bool isa_rhct_reports(struct acpi_table_rhct *rhct, const char *extension)
{
	void *node = (void *)rhct + rhct->node_offset;
	void *end = (void *)rhct + rhct->header.length;
	bool found = false;

	while (node + sizeof(struct acpi_rhct_node_header) <= end) {
		struct acpi_rhct_node_header *header = node;
		struct acpi_rhct_isa_string *isa = (void *)(header + 1);

		if (header->length < sizeof(*header))
			break;
		node += header->length;
		if (header->type != ACPI_RHCT_NODE_TYPE_ISA_STRING)
			continue;
		if (!isa_string_has(isa->isa, extension))
			return false;
		found = true;
	}
	return found;
}

static bool isa_acpi_reports(const char *extension)
{
	struct acpi_table_header *table;
	bool found;

	if (acpi_disabled ||
	    ACPI_FAILURE(acpi_get_table(ACPI_SIG_RHCT, 0, &table)))
		return false;
	found = isa_rhct_reports((struct acpi_table_rhct *)table, extension);
	acpi_put_table(table);
	return found;
}
#else
static bool isa_acpi_reports(const char *extension)
{
	return false;
}
#endif

/**
 * compat_isa_reports() - does the platform report an ISA extension?
 * @cpu: logical CPU number
 * @extension: the extension's name, in small letters or in capitals, of more than one letter
 *
 * Context: task context.
 * Return: whether the device tree names the extension for this CPU, or the ACPI
 * tables for all.
 */
bool compat_isa_reports(unsigned int cpu, const char *extension)
{
	return isa_of_reports(cpu, extension) || isa_acpi_reports(extension);
}
EXPORT_SYMBOL_GPL(compat_isa_reports);
