// SPDX-License-Identifier: MIT
#include "trace/checksum.h"

// Division of the bits, lowest first, four at a time: table[i] is the remainder of i.
static uint32_t divide(const uint32_t table[16], uint32_t crc, const unsigned char *bytes, size_t size) {
    crc = ~crc;
    for (size_t i = 0; i < size; i++) {
        crc ^= bytes[i];
        crc = (crc >> 4) ^ table[crc & 15];
        crc = (crc >> 4) ^ table[crc & 15];
    }
    return ~crc;
}

uint32_t tact_crc32(uint32_t crc, const void *bytes, size_t size) {
    static const uint32_t table[16] = {0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
                                       0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
                                       0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};
    return divide(table, crc, bytes, size);
}

uint32_t tact_crc32c(uint32_t crc, const void *bytes, size_t size) {
    static const uint32_t table[16] = {0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1, 0x417b1dbc, 0x5125dad3,
                                       0x61c69362, 0x7198540d, 0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9,
                                       0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75};
    return divide(table, crc, bytes, size);
}
