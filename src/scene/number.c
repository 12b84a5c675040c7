// SPDX-License-Identifier: MIT
// Reading: the significant digits are an integer D, the value is D 10^e = D 5^e 2^e. Short numbers are one exact
// product or quotient of doubles (Clinger 1990). All others are computed in a large integer: D 5^e, or D 2^k / 5^-e by
// short divisions that remember whether a remainder was lost; then the top 64 bits are rounded once, half to even.
#include "tact/text.h"

#include <assert.h>
#include <float.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

// 767 digits decide every rounding (the longest exact half way between two doubles); what follows can only break a tie
#define DIGITS_MAX 800
#define LIMBS_MAX 112

typedef struct {
    bool negative;
    bool lost;      // digits other than 0 follow those kept
    int count;      // digits kept, without leading zeros
    long exponent;  // of the last digit kept
    unsigned char digit[DIGITS_MAX];
} decimal;

typedef struct {
    int count;  // limbs in use, the lowest first; the highest is not 0
    bool lost;
    uint32_t limb[LIMBS_MAX];
} large;

static size_t skip_digits(const char *text, size_t size, size_t at) {
    while (at < size && text[at] >= '0' && text[at] <= '9') at++;
    return at;
}

// -? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?, or the loose form of it
static bool follows_grammar(const char *text, size_t size, bool loose) {
    size_t at = 0;
    if (size > 0 && (text[0] == '-' || (loose && text[0] == '+'))) at++;
    // digits before the point, without a leading zero
    size_t start = at;
    at = skip_digits(text, size, at);
    size_t digits = at - start;
    if (!loose && (digits == 0 || (digits > 1 && text[start] == '0'))) return false;
    // digits behind the point
    if (at < size && text[at] == '.') {
        start = ++at;
        at = skip_digits(text, size, at);
        if (!loose && at == start) return false;
        digits += at - start;
    }
    if (digits == 0) return false;
    // exponent
    if (at < size && (text[at] == 'e' || text[at] == 'E')) {
        at++;
        if (at < size && (text[at] == '-' || text[at] == '+')) at++;
        start = at;
        at = skip_digits(text, size, at);
        if (at == start) return false;
    }
    return at == size;
}

static long read_exponent(const char *text, size_t size) {
    if (size == 0) return 0;
    bool negative = text[0] == '-';
    long exponent = 0;
    for (size_t i = negative || text[0] == '+' ? 1 : 0; i < size; i++) {
        // stays below 1e9, far above the length of any text
        if (exponent < 100000000) exponent = exponent * 10 + (text[i] - '0');
    }
    return negative ? -exponent : exponent;
}

static void large_multiply_add(large *x, uint32_t factor, uint32_t carry) {
    for (int i = 0; i < x->count; i++) {
        uint64_t product = (uint64_t)x->limb[i] * factor + carry;
        x->limb[i] = (uint32_t)product;
        carry = (uint32_t)(product >> 32);
    }
    if (carry) {
        assert(x->count < LIMBS_MAX);
        x->limb[x->count++] = carry;
    }
}

static void large_divide(large *x, uint32_t divisor) {
    uint64_t remainder = 0;
    for (int i = x->count - 1; i >= 0; i--) {
        uint64_t part = remainder << 32 | x->limb[i];
        x->limb[i] = (uint32_t)(part / divisor);
        remainder = part % divisor;
    }
    if (remainder) x->lost = true;
    while (x->count > 0 && x->limb[x->count - 1] == 0) x->count--;
}

// 5^n, n <= 13, fits 32 bits
static uint32_t power_of_five(long n) {
    uint32_t power = 1;
    for (long i = 0; i < n; i++) power *= 5;
    return power;
}

// x = D 5^e 2^(32 shift), at least 64 bits of it; returns the shift
static int large_from_decimal(large *x, const decimal *number) {
    const uint32_t five13 = 1220703125;
    long e = number->exponent;
    x->count = 0;
    x->lost = number->lost;
    for (int i = 0; i < number->count; i++) large_multiply_add(x, 10, number->digit[i]);
    for (; e >= 13; e -= 13) large_multiply_add(x, five13, 0);
    if (e > 0) large_multiply_add(x, power_of_five(e), 0);
    if (e >= 0) return 0;
    // 5^n has at most 7/3 n + 1 bits
    long bits = -e * 7 / 3 + 1;
    int shift = (int)(bits / 32) + 4 - x->count;
    if (shift < 0) shift = 0;
    assert(x->count + shift <= LIMBS_MAX);
    memmove(x->limb + shift, x->limb, (size_t)x->count * sizeof x->limb[0]);
    memset(x->limb, 0, (size_t)shift * sizeof x->limb[0]);
    x->count += shift;
    for (; e <= -13; e += 13) large_divide(x, five13);
    if (e < 0) large_divide(x, power_of_five(-e));
    return shift;
}

// the top 64 bits of x, the highest set; returns the power of two of the lowest of them
static int large_top(const large *x, uint64_t *top, bool *lost) {
    uint64_t high = 0;
    int bits = 0, i = x->count - 1;
    *lost = x->lost;
    for (; i >= 0 && bits <= 32; i--, bits += 32) high = high << 32 | x->limb[i];
    int exponent = 32 * (i + 1);
    uint32_t low = i >= 0 ? x->limb[i] : 0;
    for (; !(high >> 63); exponent--) {
        high = high << 1 | low >> 31;
        low <<= 1;
    }
    if (low) *lost = true;
    for (i--; i >= 0 && !*lost; i--) *lost = x->limb[i] != 0;
    *top = high;
    return exponent;
}

// top 2^exponent as the bits of a double, rounded half to even; may give the bits of infinity
static uint64_t round_to_double(uint64_t top, int exponent, bool lost) {
    int biased = exponent + 63 + 1023;
    if (biased >= 2047) return (uint64_t)2047 << 52;
    int drop = biased >= 1 ? 11 : 12 - biased;
    if (drop > 64) return 0;
    uint64_t kept = drop == 64 ? 0 : top >> drop;
    uint64_t rest = drop == 64 ? top : top & (((uint64_t)1 << drop) - 1);
    uint64_t half = (uint64_t)1 << (drop - 1);
    if (rest > half || (rest == half && (lost || (kept & 1)))) kept++;
    // the implicit bit of kept, or a carry out of it, adds one to the exponent
    return biased >= 1 ? ((uint64_t)(biased - 1) << 52) + kept : kept;
}

// exact in one operation: D < 2^53 and a power of ten that is a double
static bool read_short(const decimal *number, double *value) {
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (FLT_EVAL_METHOD != 0 || number->count > 15 || number->exponent < -22 || number->exponent > 22) return false;
    int64_t digits = 0;
    for (int i = 0; i < number->count; i++) digits = digits * 10 + number->digit[i];
    *value = number->exponent < 0 ? (double)digits / powers[-number->exponent] : (double)digits * powers[number->exponent];
    return true;
}

static bool read_long(const decimal *number, double *value) {
    // outside of 1e-330 to 1e310 the answer is known, and within it the large integer has room
    long magnitude = number->count + number->exponent;
    if (magnitude > 310) return false;
    uint64_t bits = 0;
    if (magnitude > -330) {
        large x;
        uint64_t top = 0;
        bool lost = false;
        int shift = large_from_decimal(&x, number);
        int exponent = large_top(&x, &top, &lost) - 32 * shift + (int)number->exponent;
        bits = round_to_double(top, exponent, lost);
    }
    memcpy(value, &bits, sizeof *value);
    return bits < (uint64_t)2047 << 52;
}

static tact_number_status read_token(const char *text, size_t size, bool loose, double *value) {
    if (!follows_grammar(text, size, loose)) return TACT_NUMBER_NOT;
    decimal number;
    double magnitude = 0;
    // the token follows the grammar
    bool fraction = false;
    size_t at = text[0] == '-' || text[0] == '+' ? 1 : 0;
    number.negative = text[0] == '-';
    number.lost = false;
    number.count = 0;
    number.exponent = 0;
    for (; at < size && text[at] != 'e' && text[at] != 'E'; at++) {
        if (text[at] == '.') {
            fraction = true;
            continue;
        }
        int digit = text[at] - '0';
        bool keep = number.count < DIGITS_MAX;
        if (keep && (digit > 0 || number.count > 0)) number.digit[number.count++] = (unsigned char)digit;
        if (!keep && digit > 0) number.lost = true;
        number.exponent += (keep ? 0 : 1) - (fraction ? 1 : 0);
    }
    if (at < size) number.exponent += read_exponent(text + at + 1, size - at - 1);
    // trailing zeros would only send short numbers the long way
    while (number.count > 0 && !number.lost && number.digit[number.count - 1] == 0) {
        number.count--;
        number.exponent++;
    }
    if (number.count > 0 && !read_short(&number, &magnitude) && !read_long(&number, &magnitude)) return TACT_NUMBER_TOO_LARGE;
    *value = number.negative ? -magnitude : magnitude;
    return TACT_NUMBER_READ;
}

tact_number_status tact_number_read(const char *text, size_t size, double *value) {
    return read_token(text, size, false, value);
}

tact_number_status tact_number_read_loose(const char *text, size_t size, double *value) {
    return read_token(text, size, true, value);
}

bool tact_number_valid(const char *text, size_t size) {
    return follows_grammar(text, size, false);
}

size_t tact_number_word(const char **text) {
    *text += strspn(*text, " \t\r\n");
    return strcspn(*text, " \t\r\n");
}

double tact_number_unit(const char *text) {
    TACT_ASSERT(text);
    double value = 0, unit = 0;
    size_t size = tact_number_word(&text);
    if (!text[size - (size > 0)] || tact_number_read_loose(text, size, &value) != TACT_NUMBER_READ || value == 0) return 0;
    // the same number with its digits replaced by zeros and the last one by 1
    char out[64];
    size_t digits = strcspn(text, "eE"), last = digits < size ? digits : size;
    if (size >= sizeof out) return 0;
    while (last > 0 && (text[last - 1] < '0' || text[last - 1] > '9')) last--;
    memcpy(out, text, size);
    for (size_t i = 0; i < last; i++)
        if (out[i] >= '0' && out[i] <= '9') out[i] = '0';
    if (last > 0) out[last - 1] = '1';
    if (out[0] == '+' || out[0] == '-') out[0] = '0';
    return tact_number_read_loose(out, size, &unit) == TACT_NUMBER_READ ? unit : 0;
}

tact_number_text tact_number_print(double value) {
    tact_number_text out;
    if (value != value) return (tact_number_text){"nan"};
    if (value > DBL_MAX) return (tact_number_text){"inf"};
    if (value < -DBL_MAX) return (tact_number_text){"-inf"};
    for (int digits = 15; digits <= 17; digits++) {
        double back = 0;
        snprintf(out.text, sizeof out.text, "%.*g", digits, value);
        // whatever the locale writes between the digits becomes a point
        char *text = out.text;
        size_t used = 0;
        for (const char *from = text; *from;) {
            size_t plain = strspn(from, "0123456789+-e");
            memmove(text + used, from, plain);
            used += plain;
            from += plain;
            size_t mark = strcspn(from, "0123456789+-e");
            if (mark > 0) text[used++] = '.';
            from += mark;
        }
        text[used] = '\0';
        // 1e-06 becomes 1e-6
        char *power = strchr(out.text, 'e');
        if (power) {
            power += 2;
            size_t zeros = strspn(power, "0");
            memmove(power, power + zeros, strlen(power + zeros) + 1);
        }
        if (tact_number_read(out.text, strlen(out.text), &back) == TACT_NUMBER_READ && back == value) break;
    }
    return out;
}
