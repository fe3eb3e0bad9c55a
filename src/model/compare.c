/* compare.c - runs beside each other. */
#include "dpkgtop/compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dpkgtop/mem.h"
#include "dpkgtop/units.h"

#include "work.h"

const char *const compare_units[N_COMPARE_UNITS] = {
	[COMPARE_SECONDS] = "s",
	[COMPARE_COUNT] = "count",
	[COMPARE_BYTES] = "bytes",
};

static double seconds(int64_t ns)
{
	return ns == UNKNOWN_NS ? UNKNOWN_RATE : (double)ns / 1e9;
}

static double counter(uint64_t value)
{
	return value == UNKNOWN_U64 ? UNKNOWN_RATE : (double)value;
}

static double get_real(const struct model *m, int arg)
{
	(void)arg;
	return seconds(model_wall(m));
}

static double get_user(const struct model *m, int arg)
{
	(void)arg;
	return seconds(m->usage.user_ns);
}

static double get_sys(const struct model *m, int arg)
{
	(void)arg;
	return seconds(m->usage.sys_ns);
}

static double get_trailing(const struct model *m, int arg)
{
	(void)arg;
	return seconds(m->ledger.trailing_ns);
}

static double get_phase(const struct model *m, int phase)
{
	return m->state == MODEL_WAITING ? UNKNOWN_RATE : seconds(m->ledger.wall_ns[phase]);
}

/* What people otherwise subtract by guess. */
static double get_without_initramfs(const struct model *m, int arg)
{
	(void)arg;
	return seconds(model_wall(m)) - get_phase(m, PHASE_INITRAMFS);
}

static double get_cause(const struct model *m, int cause)
{
	struct cell sum = ledger_cause(&m->ledger, (enum cause)cause);

	if (m->state == MODEL_WAITING)
		return UNKNOWN_RATE;
	/* Time of unknown cause is known as time. */
	if (cause != CAUSE_UNKNOWN &&
	    (sum.quality == QUALITY_NONE || sum.quality == QUALITY_UNKNOWN))
		return UNKNOWN_RATE;
	return seconds(sum.ns);
}

/* Unknown where it is not known who waited. */
static double get_without_input(const struct model *m, int arg)
{
	(void)arg;
	return seconds(model_wall(m)) - get_cause(m, CAUSE_INPUT);
}

static double get_syncs(const struct model *m, int class)
{
	return m->syncs.counted ? counter(m->syncs.classes[class].count) : UNKNOWN_RATE;
}

static double get_flushes(const struct model *m, int arg)
{
	(void)arg;
	return counter(m->storage.flushes);
}

static double get_written(const struct model *m, int arg)
{
	(void)arg;
	return counter(m->storage.written_bytes);
}

static const struct metric {
	const char *key;
	enum compare_unit unit;
	double (*get)(const struct model *m, int arg);
	int arg;
} metrics[] = {
	{"real", COMPARE_SECONDS, get_real, 0},
	{"user", COMPARE_SECONDS, get_user, 0},
	{"sys", COMPARE_SECONDS, get_sys, 0},
	{"trailing_sync", COMPARE_SECONDS, get_trailing, 0},
	{"phase.download", COMPARE_SECONDS, get_phase, PHASE_DOWNLOAD},
	{"phase.prepare", COMPARE_SECONDS, get_phase, PHASE_PREPARE},
	{"phase.read", COMPARE_SECONDS, get_phase, PHASE_READ},
	{"phase.unpack", COMPARE_SECONDS, get_phase, PHASE_UNPACK},
	{"phase.configure", COMPARE_SECONDS, get_phase, PHASE_CONFIGURE},
	{"phase.triggers", COMPARE_SECONDS, get_phase, PHASE_TRIGGERS},
	{"phase.initramfs", COMPARE_SECONDS, get_phase, PHASE_INITRAMFS},
	{"phase.remove", COMPARE_SECONDS, get_phase, PHASE_REMOVE},
	{"phase.between", COMPARE_SECONDS, get_phase, PHASE_BETWEEN},
	{"phase.finish", COMPARE_SECONDS, get_phase, PHASE_FINISH},
	{"without_initramfs", COMPARE_SECONDS, get_without_initramfs, 0},
	{"without_input", COMPARE_SECONDS, get_without_input, 0},
	{"cause.package_sync", COMPARE_SECONDS, get_cause, CAUSE_PACKAGE_SYNC},
	{"cause.database_sync", COMPARE_SECONDS, get_cause, CAUSE_DATABASE_SYNC},
	{"cause.writeback", COMPARE_SECONDS, get_cause, CAUSE_WRITEBACK},
	{"cause.other_sync", COMPARE_SECONDS, get_cause, CAUSE_OTHER_SYNC},
	{"cause.sync_estimated", COMPARE_SECONDS, get_cause, CAUSE_SYNC_ESTIMATED},
	{"cause.disk", COMPARE_SECONDS, get_cause, CAUSE_DISK},
	{"cause.cpu", COMPARE_SECONDS, get_cause, CAUSE_CPU},
	{"cause.input", COMPARE_SECONDS, get_cause, CAUSE_INPUT},
	{"cause.other", COMPARE_SECONDS, get_cause, CAUSE_OTHER},
	{"cause.unknown", COMPARE_SECONDS, get_cause, CAUSE_UNKNOWN},
	{"syncs.package", COMPARE_COUNT, get_syncs, SYNC_PACKAGE},
	{"syncs.database", COMPARE_COUNT, get_syncs, SYNC_DATABASE},
	{"syncs.writeback", COMPARE_COUNT, get_syncs, SYNC_WRITEBACK},
	{"syncs.other", COMPARE_COUNT, get_syncs, SYNC_OTHER},
	{"flushes", COMPARE_COUNT, get_flushes, 0},
	{"written_bytes", COMPARE_BYTES, get_written, 0},
};
#define N_METRICS (sizeof(metrics) / sizeof(*metrics))

/* --- groups -------------------------------------------------------------------------------- */

static const char *group_name(const struct compare_run *r)
{
	return *r->model->header.label ? r->model->header.label : r->name;
}

/* A label is shared; two files of one name in two directories are not one group. */
static bool in_group(const struct compare_run *first, const struct compare_run *r)
{
	return first == r || (*first->model->header.label && *r->model->header.label &&
	                      strcmp(first->model->header.label, r->model->header.label) == 0);
}

static void add_to_group(struct compare_group *g, const struct compare_run *r)
{
	const char *mode = r->model->mode.mode;

	if (!g->runs)
		snprintf(g->mode, sizeof(g->mode), "%s", mode);
	else if (strcmp(g->mode, mode) != 0)
		snprintf(g->mode, sizeof(g->mode), "mixed");
	g->runs++;
}

/* `ret_group[i]` is the group of run i. */
static void make_groups(struct comparison *c, const struct compare_run *runs, size_t count,
                        size_t *ret_group)
{
	c->groups = mem_new(count, sizeof(*c->groups));
	for (size_t i = 0; i < count; i++) {
		size_t first = 0;

		while (!in_group(&runs[first], &runs[i]))
			first++;
		if (first == i) {
			ret_group[i] = c->n_groups++;
			snprintf(c->groups[ret_group[i]].name, sizeof(c->groups->name), "%s",
			         group_name(&runs[i]));
		} else {
			ret_group[i] = ret_group[first];
		}
		add_to_group(&c->groups[ret_group[i]], &runs[i]);
	}
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Sorts `values`. */
static void summarize(double *values, size_t count, struct compare_value *ret)
{
	*ret = (struct compare_value){UNKNOWN_RATE, UNKNOWN_RATE, UNKNOWN_RATE, UNKNOWN_RATE,
	                              COMPARE_NOISE_UNKNOWN};
	if (!count)
		return;
	qsort(values, count, sizeof(*values), by_value);
	ret->median = (values[(count - 1) / 2] + values[count / 2]) / 2;
	if (count > 1)
		ret->spread = values[count - 1] - values[0];
}

static void hold_against(const struct compare_value *base, struct compare_value *v)
{
	double spread = v->spread;

	v->difference = v->median - base->median;
	if (base->median != 0)
		v->relative = v->difference / base->median;
	/* So too if `spread` is NaN. */
	if (!(spread >= base->spread))
		spread = isnan(base->spread) ? spread : base->spread;
	if (isnan(spread) || isnan(v->difference))
		return;
	v->noise = fabs(v->difference) < spread ? COMPARE_NOISE : COMPARE_NO_NOISE;
}

static void fill_row(struct compare_row *row, const struct metric *metric,
                     const struct comparison *c, const struct compare_run *runs, size_t count,
                     const size_t *group, double *values)
{
	row->key = metric->key;
	row->unit = metric->unit;
	row->values = mem_new(c->n_groups, sizeof(*row->values));
	for (size_t g = 0; g < c->n_groups; g++) {
		size_t n = 0;

		for (size_t i = 0; i < count; i++) {
			double value = metric->get(runs[i].model, metric->arg);

			if (group[i] == g && !isnan(value))
				values[n++] = value;
		}
		summarize(values, n, &row->values[g]);
		if (g)
			hold_against(&row->values[0], &row->values[g]);
	}
}

void compare(const struct compare_run *runs, size_t count, struct comparison *ret)
{
	size_t *group = mem_new(count, sizeof(*group));
	double *values = mem_new(count, sizeof(*values));

	memset(ret, 0, sizeof(*ret));
	make_groups(ret, runs, count, group);
	ret->n_rows = N_METRICS;
	ret->rows = mem_new(N_METRICS, sizeof(*ret->rows));
	for (size_t i = 0; i < N_METRICS; i++)
		fill_row(&ret->rows[i], &metrics[i], ret, runs, count, group, values);
	for (size_t i = 1; i < count; i++)
		work_compare(ret, runs, i);
	free(group);
	free(values);
}

void compare_done(struct comparison *c)
{
	for (size_t i = 0; i < c->n_rows; i++)
		free(c->rows[i].values);
	free(c->rows);
	free(c->groups);
	free(c->differences);
	memset(c, 0, sizeof(*c));
}
