// SPDX-License-Identifier: GPL-2.0-only
/*
 * The link between counters and instruction sampling, see pdis_counters.h.
 *
 * The driver that makes records may be gone while there are events whose counters it
 * could include. These just continue to count.
 */
#include <linux/export.h>
#include <linux/perf_event.h>
#include <linux/rcupdate.h>

#include "pdis_counters.h"

static const struct pdis_counters_ops __rcu *pdis_counters_ops;

/**
 * pdis_counters_register() - records can be made from now on
 * @ops: the operations of the driver that makes them
 *
 * Context: task context.
 */
void pdis_counters_register(const struct pdis_counters_ops *ops)
{
	rcu_assign_pointer(pdis_counters_ops, ops);
}
EXPORT_SYMBOL_GPL(pdis_counters_register);

/**
 * pdis_counters_unregister() - undo pdis_counters_register()
 *
 * Context: task context.
 */
void pdis_counters_unregister(void)
{
	RCU_INIT_POINTER(pdis_counters_ops, NULL);
	synchronize_rcu();
}
EXPORT_SYMBOL_GPL(pdis_counters_unregister);

/**
 * pdis_counters_of() - the counters that records can include
 * @leader: the leader of a group
 *
 * Return: the counters, by their architectural numbers; none if the leader makes no records.
 */
unsigned long pdis_counters_of(const struct perf_event *leader)
{
	const struct pdis_counters_ops *ops;
	unsigned long counters = 0;

	rcu_read_lock();
	ops = rcu_dereference(pdis_counters_ops);
	if (ops)
		counters = ops->counters(leader);
	rcu_read_unlock();
	return counters;
}
EXPORT_SYMBOL_GPL(pdis_counters_of);

/**
 * pdis_counters_come() - a counter has been given to an event with aux_output
 * @idx: its number
 *
 * Context: interrupts off, the event is on this CPU and so is the leader.
 */
void pdis_counters_come(int idx)
{
	const struct pdis_counters_ops *ops;

	rcu_read_lock();
	ops = rcu_dereference(pdis_counters_ops);
	if (ops)
		ops->comes(idx);
	rcu_read_unlock();
}
EXPORT_SYMBOL_GPL(pdis_counters_come);

/**
 * pdis_counters_go() - a counter has been taken from an event with aux_output
 * @idx: its number
 *
 * Context: interrupts off, the event is on this CPU; the leader may have been removed.
 */
void pdis_counters_go(int idx)
{
	const struct pdis_counters_ops *ops;

	rcu_read_lock();
	ops = rcu_dereference(pdis_counters_ops);
	if (ops)
		ops->goes(idx);
	rcu_read_unlock();
}
EXPORT_SYMBOL_GPL(pdis_counters_go);
