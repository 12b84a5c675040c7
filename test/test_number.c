// SPDX-License-Identifier: MIT
// Numbers in text: the grammar, correct rounding against strtod, and print -> read without a lost bit, also in a locale
// with a decimal comma where there is one.
#include "tact/text.h"

#include <float.h>
#include <locale.h>

#include "test.h"

static uint64_t bits_of(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static double from_bits(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static tact_number_status read_all(const char *text, double *value) {
    return tact_number_read(text, strlen(text), value);
}

static void test_grammar(void) {
    static const char *const good[] = {
        "0",      "-0",     "1",      "-1",   "10",     "1.5", "-1.25",  "0.1",
        "1e5",    "1E5",    "1e+5",   "1e-5", "1.5e05", "0e0", "0.0e-0", "123456789012345678901234567890",
        "5e-324", "1e-999", "-1e-999"};
    static const char *const loose[] = {"+1", "01", "1.", ".5", "-.5", "+.5e1", "007", "1.e3", "-01.50", "+0"};
    static const char *const bad[] = {
        "",       "-",   "+",   ".",     "e5",    "-e5",  ".e1", "1e",  "1e+",      "1e-",   "1,5", "1.5 ", " 1",  "1.5.",
        "-1.57.", "--1", "+-1", "1e5.",  "1e5e5", "0x10", "nan", "inf", "Infinity", "1_000", "1f",  "1 2",  "1\n", "\xef\xbc\x91",
        "1e1.5",  "1-1", "NaN", "1.2.3", "0b1",   "1d5"};
    double value;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        value = 99;
        CHECK_INT(read_all(good[i], &value), TACT_NUMBER_READ);
        CHECK(bits_of(value) == bits_of(strtod(good[i], NULL)));
        CHECK(tact_number_valid(good[i], strlen(good[i])));
        CHECK_INT(tact_number_read_loose(good[i], strlen(good[i]), &value), TACT_NUMBER_READ);
    }
    for (size_t i = 0; i < sizeof loose / sizeof loose[0]; i++) {
        CHECK_INT(read_all(loose[i], &value), TACT_NUMBER_NOT);
        value = 99;
        CHECK_INT(tact_number_read_loose(loose[i], strlen(loose[i]), &value), TACT_NUMBER_READ);
        CHECK(bits_of(value) == bits_of(strtod(loose[i], NULL)));
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        value = 99;
        CHECK_INT(read_all(bad[i], &value), TACT_NUMBER_NOT);
        CHECK_INT(tact_number_read_loose(bad[i], strlen(bad[i]), &value), TACT_NUMBER_NOT);
        CHECK(value == 99);
    }
    CHECK_INT(tact_number_read("1\0", 2, &value), TACT_NUMBER_NOT);
    // only the bytes given count
    CHECK_INT(tact_number_read("12345", 2, &value), TACT_NUMBER_READ);
    CHECK(value == 12);
}

static void test_range(void) {
    static const char *const large[] = {"1e999", "-1e999", "1e309", "1.7976931348623159e308", "1e99999999999999999999", "2e308"};
    double value = 99;
    for (size_t i = 0; i < sizeof large / sizeof large[0]; i++) CHECK_INT(read_all(large[i], &value), TACT_NUMBER_TOO_LARGE);
    CHECK(value == 99);
    CHECK_INT(read_all("1.7976931348623158e308", &value), TACT_NUMBER_READ);
    CHECK(value == DBL_MAX);
    // half way between the smallest double and 0 goes to the even one, a digit more to the odd one
    CHECK_INT(read_all("2.4703282292062327e-324", &value), TACT_NUMBER_READ);
    CHECK(value == 0);
    CHECK_INT(read_all("2.4703282292062328e-324", &value), TACT_NUMBER_READ);
    CHECK(bits_of(value) == 1);
    CHECK_INT(read_all("-1e-99999999999999999999", &value), TACT_NUMBER_READ);
    CHECK(bits_of(value) == bits_of(-0.0));
    CHECK_INT(read_all("0e99999999999999999999", &value), TACT_NUMBER_READ);
    CHECK(value == 0);
    CHECK_INT(read_all("9007199254740993", &value), TACT_NUMBER_READ);
    CHECK(value == 9007199254740992.0);
    CHECK_INT(read_all("9007199254740993.00000000000000000000000001", &value), TACT_NUMBER_READ);
    CHECK(value == 9007199254740994.0);
    // a tie broken by the lowest of 77 bits
    CHECK_INT(read_all("75557863725914331807744", &value), TACT_NUMBER_READ);
    CHECK(value == 9007199254740992.0 * 8388608);
    CHECK_INT(read_all("75557863725914331807745", &value), TACT_NUMBER_READ);
    CHECK(value == 9007199254740994.0 * 8388608);
}

// a number of many digits: zeros do not count, digits behind the last that can matter still break ties
static void test_many_digits(void) {
    static char text[200000];
    double value = 99;
    memset(text, '0', sizeof text);
    memcpy(text, "0.", 2);
    memcpy(text + 150000, "1e150000", 9);
    CHECK_INT(read_all(text, &value), TACT_NUMBER_READ);
    CHECK(value == 10);
    memset(text, '9', 150000);
    memcpy(text + 150000, "e-150000", 9);
    CHECK_INT(read_all(text, &value), TACT_NUMBER_READ);
    CHECK(value == 1);
    memset(text, '9', 150000);
    text[150000] = '\0';
    CHECK_INT(read_all(text, &value), TACT_NUMBER_TOO_LARGE);
    // 2^53 + 1 and a 1 after 100,000 zeros
    memset(text, '0', 100000);
    memcpy(text, "9007199254740993.", 17);
    memcpy(text + 100000, "1", 2);
    CHECK_INT(read_all(text, &value), TACT_NUMBER_READ);
    CHECK(value == 9007199254740994.0);
}

static void check_against_strtod(const char *text) {
    double value = 99, wanted = strtod(text, NULL);
    tact_number_status status = read_all(text, &value);
    int ok = fabs(wanted) > DBL_MAX ? status == TACT_NUMBER_TOO_LARGE
                                    : status == TACT_NUMBER_READ && bits_of(value) == bits_of(wanted);
    if (!ok) printf("    %.60s: got %.17g wanted %.17g\n", text, value, wanted);
    CHECK(ok);
}

static void test_random_doubles(uint64_t *seed, int count) {
    int wrong = 0;
    for (int i = 0; i < count; i++) {
        double x = from_bits(test_random_bits(seed)), back = 99;
        // a third each: any bits, around 1, around the smallest
        if (i % 3 == 1) x = test_random(seed, -1, 1);
        if (i % 3 == 2) x = from_bits(test_random_bits(seed) & 0x803fffffffffffffu);
        if (!(fabs(x) <= DBL_MAX)) continue;
        tact_number_text text = tact_number_print(x);
        bool ok = read_all(text.text, &back) == TACT_NUMBER_READ && bits_of(back) == bits_of(x) && !strchr(text.text, ',');
        if (!ok && wrong++ < 5) printf("    %a printed %s read %a\n", x, text.text, back);
    }
    CHECK_INT(wrong, 0);
}

static void test_random_decimals(uint64_t *seed) {
    char text[1300];
    for (int i = 0; i < 60000; i++) {
        int digits = 1 + (int)(test_random_bits(seed) % (i % 50 == 0 ? 1000 : 25));
        int point = (int)(test_random_bits(seed) % (uint64_t)digits), used = 0;
        if (test_random_bits(seed) & 1) text[used++] = '-';
        text[used++] = (char)('1' + test_random_bits(seed) % 9);
        for (int k = 1; k < digits; k++) {
            if (k == point) text[used++] = '.';
            text[used++] = (char)('0' + test_random_bits(seed) % 10);
        }
        int span = i % 2 ? 30 : 400;
        snprintf(text + used, 16, "e%d", (int)(test_random_bits(seed) % (uint64_t)(2 * span)) - span);
        check_against_strtod(text);
    }
}

// exact decimals of the middle between two doubles, and one digit below and above it
static void test_ties(uint64_t *seed) {
    char text[1400];
    if (LDBL_MANT_DIG < 64) return;
    for (int i = 0; i < 3000; i++) {
        uint64_t bits = test_random_bits(seed) & 0x7fffffffffffffffu;
        if (i % 2) bits &= 0x003fffffffffffffu;
        double x = from_bits(bits), next = from_bits(bits + 1);
        if (!(next <= DBL_MAX)) continue;
        long double middle = ((long double)x + (long double)next) / 2;
        snprintf(text, sizeof text - 10, "%.1150Le", middle);
        check_against_strtod(text);
        char *exponent = strchr(text, 'e');
        exponent[-1] = '1';
        check_against_strtod(text);
        // one less in the last digit that is not 0
        exponent[-1] = '0';
        char *digit = exponent - 1;
        while (*digit == '0' || *digit == '.') digit--;
        (*digit)--;
        check_against_strtod(text);
    }
}

static void test_print(void) {
    CHECK_TEXT(tact_number_print(5).text, "5");
    CHECK_TEXT(tact_number_print(-0.0).text, "-0");
    CHECK_TEXT(tact_number_print(0.1).text, "0.1");
    CHECK_TEXT(tact_number_print(-0.1).text, "-0.1");
    CHECK_TEXT(tact_number_print(1e-5).text, "1e-5");
    CHECK_TEXT(tact_number_print(100000).text, "100000");
    CHECK_TEXT(tact_number_print(1e15).text, "1e+15");
    CHECK_TEXT(tact_number_print(1e300).text, "1e+300");
    CHECK_TEXT(tact_number_print(0.1 + 0.2).text, "0.30000000000000004");
    CHECK_TEXT(tact_number_print(-DBL_MAX).text, "-1.7976931348623157e+308");
    CHECK_TEXT(tact_number_print(DBL_MIN).text, "2.2250738585072014e-308");
    CHECK_TEXT(tact_number_print(1.5).text, "1.5");
    CHECK_TEXT(tact_number_print((double)INFINITY).text, "inf");
    CHECK_TEXT(tact_number_print(-(double)INFINITY).text, "-inf");
    CHECK_TEXT(tact_number_print((double)NAN).text, "nan");
}

static void test_words(void) {
    const char *text = " 0\t1.5\r\n-2e3  ";
    static const char *const words[] = {"0", "1.5", "-2e3"};
    for (int i = 0; i < 3; i++) {
        size_t size = tact_number_word(&text);
        CHECK_INT(size, strlen(words[i]));
        CHECK(memcmp(text, words[i], size) == 0);
        text += size;
    }
    CHECK_INT(tact_number_word(&text), 0);
    CHECK_INT(tact_number_word(&text), 0);
}

int main(void) {
    uint64_t seed = test_seed(20240607);
    test_grammar();
    test_range();
    test_many_digits();
    test_print();
    test_words();
    test_random_doubles(&seed, 200000);
    test_random_decimals(&seed);
    test_ties(&seed);
    static const char *const locales[] = {"de_DE.UTF-8", "tr_TR.UTF-8", "ps_AF.UTF-8"};
    for (int i = 0; i < 3; i++) {
        if (!setlocale(LC_ALL, locales[i])) continue;
        printf("locale %s\n", locales[i]);
        test_print();
        test_random_doubles(&seed, 2000);
    }
    return test_end("number");
}
