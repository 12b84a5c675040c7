// SPDX-License-Identifier: MIT
// Cyclic redundancy checks of 32 bits: any one flipped bit, and any burst of up to 32, changes them.
#ifndef TACT_TRACE_CHECKSUM_H
#define TACT_TRACE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

// That of zip archives (ISO 3309), and Castagnoli's, CRC-32C (RFC 3720, appendix B.4). Both begin with 0 and go on from the
// checksum of what comes before.
uint32_t tact_crc32(uint32_t crc, const void *bytes, size_t size);
uint32_t tact_crc32c(uint32_t crc, const void *bytes, size_t size);

#endif
