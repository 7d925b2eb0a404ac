# SPDX-License-Identifier: GPL-2.0-or-later
# The virt machine and the devices that a small Linux guest needs.
CONFIG_RISCV_VIRT=y
CONFIG_VIRTIO_MMIO=y
CONFIG_VIRTIO_PCI=y
CONFIG_VIRTIO_BLK=y
CONFIG_VIRTIO_NET=y
CONFIG_VIRTIO_RNG=y
CONFIG_VIRTIO_SERIAL=y
CONFIG_VIRTIO_9P=y
