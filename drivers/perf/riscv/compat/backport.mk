# SPDX-License-Identifier: GPL-2.0-only
#
# For older kernels, see backport.h.

$(foreach object,$(riscv_pmu-y) $(riscv_pdis-y),$(eval CFLAGS_$(object) += -include $(src)/compat/backport.h))
