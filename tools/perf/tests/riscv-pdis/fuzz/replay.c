// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where there is no libFuzzer: gives what it would all files of a folder, and then so many
 * others that are made of them.
 *
 *   PROGRAM FOLDER COUNT
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_FILES	256
#define MAX_SIZE	4096

int LLVMFuzzerInitialize(int *argc, char ***argv) __attribute__((weak));
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/**
 * struct file - one of the folder's
 * @data: what is in it
 * @size: how much
 */
struct file {
	uint8_t data[MAX_SIZE];
	size_t size;
};

static struct file files[MAX_FILES];
static unsigned int nr_files;

/* The same each time. */
static unsigned int any(unsigned int below)
{
	static uint64_t state = 1;

	state = state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (state >> 33) % below;
}

static void read_file(const char *folder, const char *name)
{
	struct file *file = &files[nr_files];
	char path[4096];
	FILE *in;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	in = name[0] != '.' && nr_files < MAX_FILES ? fopen(path, "rb") : NULL;
	if (!in)
		return;
	file->size = fread(file->data, 1, sizeof(file->data), in);
	nr_files++;
	fclose(in);
}

static void read_files(const char *folder)
{
	struct dirent **entry;
	int nr = scandir(folder, &entry, NULL, alphasort), i;

	for (i = 0; i < nr; i++) {
		read_file(folder, entry[i]->d_name);
		free(entry[i]);
	}
	if (nr >= 0)
		free(entry);
}

/* A byte is another one, or more like those that matter, or a part is another file's. */
static void change(struct file *file)
{
	static const uint8_t odd[] = { 0, 1, 0x7f, 0x80, 0xff };
	const struct file *other = &files[any(nr_files)];
	unsigned int at = any(file->size), end;

	switch (any(3)) {
	case 0:
		file->data[at] ^= 1 << any(8);
		break;
	case 1:
		file->data[at] = odd[any(sizeof(odd))];
		break;
	default:
		end = at + any(16);
		for (; at < end && at < file->size && at < other->size; at++)
			file->data[at] = other->data[at];
	}
}

static void give_another(void)
{
	struct file file = files[any(nr_files)];
	unsigned int left = 1 + any(6);

	while (file.size && left--)
		change(&file);
	LLVMFuzzerTestOneInput(file.data, file.size - (any(8) || !file.size ? 0 : 1));
}

/**
 * main() - all that
 * @argc: 3
 * @argv: the folder, and how many others
 *
 * Return: 0 if it returns.
 */
int main(int argc, char **argv)
{
	unsigned long left, count = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;
	unsigned int i;

	if (argc == 3)
		read_files(argv[1]);
	if (LLVMFuzzerInitialize)
		LLVMFuzzerInitialize(&argc, &argv);
	if (!nr_files)
		return 1;
	for (i = 0; i < nr_files; i++)
		LLVMFuzzerTestOneInput(files[i].data, files[i].size);
	for (left = count; left; left--)
		give_another();
	fprintf(stderr, "%u files and %lu others\n", nr_files, count);
	return 0;
}
