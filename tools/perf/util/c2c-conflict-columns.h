/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perf c2c: the columns of conflicts.
 *
 * This is a part of builtin-c2c.c, whose columns are known to nobody else.
 */
#ifndef PERF_C2C_CONFLICT_COLUMNS_H
#define PERF_C2C_CONFLICT_COLUMNS_H

/* What the table has in place of modified lines, and each line of it, and its accesses. */
#define CONFLICT_COLUMNS		"tot_conflict,ld_conflict,st_conflict,"
#define CONFLICT_LINE_COLUMNS		"cl_ld_conflict,cl_st_conflict,"
#define CONFLICT_ACCESS_COLUMNS		"percent_ld_conflict,percent_st_conflict,"
#define CONFLICT_MEAN_COLUMNS		"mean_conflict,"

STAT_FN(tot_conflict)
STAT_FN(ld_conflict)
STAT_FN(st_conflict)

PERCENT_FN(ld_conflict)
PERCENT_FN(st_conflict)

#define CONFLICT_PERCENT(__f)							\
static int									\
percent_ ## __f ## _entry(struct perf_hpp_fmt *fmt, struct perf_hpp *hpp,	\
			  struct hist_entry *he)				\
{										\
	int width = c2c_width(fmt, hpp, he->hists);				\
	double per = PERCENT(he, __f);						\
	char buf[10];								\
										\
	return scnprintf(hpp->buf, hpp->size, "%*s", width, PERC_STR(buf, per)); \
}										\
										\
static int									\
percent_ ## __f ## _color(struct perf_hpp_fmt *fmt, struct perf_hpp *hpp,	\
			  struct hist_entry *he)				\
{										\
	return percent_color(fmt, hpp, he, percent_ ## __f);			\
}

CONFLICT_PERCENT(ld_conflict)
CONFLICT_PERCENT(st_conflict)

MEAN_ENTRY(mean_conflict_entry, conflict);

#define CONFLICT_DIMENSION(__name, __cmp, __entry, __color, __width, __header)	\
static struct c2c_dimension dim_ ## __name = {					\
	.header		= __header,						\
	.name		= #__name,						\
	.cmp		= __cmp,						\
	.entry		= __entry,						\
	.color		= __color,						\
	.width		= __width,						\
}

CONFLICT_DIMENSION(tot_conflict, tot_conflict_cmp, tot_conflict_entry, NULL, 7,
		   HEADER_SPAN("- Conflicts (estimated) -", "Total", 2));
CONFLICT_DIMENSION(ld_conflict, ld_conflict_cmp, ld_conflict_entry, NULL, 7,
		   HEADER_SPAN_LOW("Loads"));
CONFLICT_DIMENSION(st_conflict, st_conflict_cmp, st_conflict_entry, NULL, 7,
		   HEADER_SPAN_LOW("Stores"));
CONFLICT_DIMENSION(cl_ld_conflict, ld_conflict_cmp, ld_conflict_entry, NULL, 7,
		   HEADER_SPAN("Conflicts (est.)", "Loads", 1));
CONFLICT_DIMENSION(cl_st_conflict, st_conflict_cmp, st_conflict_entry, NULL, 7,
		   HEADER_SPAN_LOW("Stores"));
CONFLICT_DIMENSION(percent_ld_conflict, ld_conflict_cmp, percent_ld_conflict_entry,
		   percent_ld_conflict_color, 7,
		   HEADER_SPAN("Conflicts (est.)", "Loads", 1));
CONFLICT_DIMENSION(percent_st_conflict, st_conflict_cmp, percent_st_conflict_entry,
		   percent_st_conflict_color, 7, HEADER_SPAN_LOW("Stores"));
CONFLICT_DIMENSION(mean_conflict, empty_cmp, mean_conflict_entry, NULL, 8,
		   HEADER_SPAN("----- cycles -----", "conflict", 1));

#define CONFLICT_DIMENSIONS							\
	&dim_tot_conflict, &dim_ld_conflict, &dim_st_conflict,			\
	&dim_cl_ld_conflict, &dim_cl_st_conflict, &dim_percent_ld_conflict,	\
	&dim_percent_st_conflict, &dim_mean_conflict

#endif /* PERF_C2C_CONFLICT_COLUMNS_H */
