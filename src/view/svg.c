// SPDX-License-Identifier: MIT
#include "tact/view.h"

#include <stdio.h>
#include <string.h>

#include "scene/utf8.h"

// c0 to c7: colours that colour-blind readers tell apart (Okabe and Ito), and two more
static const char style[] =
    "<style>"
    "text{font:12px system-ui,sans-serif}.big{font-size:14px;font-weight:600}.small{font-size:11px}"
    ".ground{fill:#fff}.ink{fill:#1b1f24}.soft{fill:#57606a}.box{fill:none;stroke:#8c959f}.grid{stroke:#d8dee4}"
    ".zero{stroke:#8c959f}.floor{fill:#eef1f4;stroke:#c4ccd4}.solid{fill:#dfe5ea;stroke:#8c959f}.shadow{fill:#000;stroke:#000;"
    "opacity:.13}"
    ".curve{fill:none;stroke-width:1.6;stroke-linejoin:round}.arrow{stroke-width:2.4;stroke:#1f5fbf}.head{fill:#1f5fbf}"
    ".edge{stroke:#1b1f24;stroke-opacity:.55;stroke-width:.8;stroke-linejoin:round}.mark{stroke:#1b1f24;stroke-width:1.2}"
    ".c0{stroke:#0072b2}.c1{stroke:#d55e00}.c2{stroke:#009e73}.c3{stroke:#cc79a7}.c4{stroke:#e69f00}.c5{stroke:#56b4e9}"
    ".c6{stroke:#7a6a9c}.c7{stroke:#8a8f2c}"
    "@media(prefers-color-scheme:dark){.ground{fill:#14181d}.ink{fill:#e6edf3}.soft{fill:#9aa6b2}.box{stroke:#6b7682}"
    ".grid{stroke:#2b323a}.zero{stroke:#6b7682}.floor{fill:#1f262d;stroke:#3a444e}.solid{fill:#2a323a;stroke:#6b7682}"
    ".shadow{opacity:.4}.arrow{stroke:#6cb0ff}.head{fill:#6cb0ff}.edge{stroke:#e6edf3}.mark{stroke:#e6edf3}"
    ".c0{stroke:#3f9bdc}.c1{stroke:#f0803c}.c2{stroke:#2bbf94}.c3{stroke:#e09cc4}.c4{stroke:#f0b440}.c5{stroke:#8fd0f5}"
    ".c6{stroke:#a99acb}.c7{stroke:#bcc25a}}"
    "</style>\n";

void tact_svg_add_all(tact_text *out, const char *const *pieces) {
    for (int i = 0; pieces[i]; i++) tact_text_add(out, pieces[i]);
}

static bool add_entity(tact_text *out, char c) {
    switch (c) {
    case '<': tact_text_add(out, "&lt;"); return true;
    case '>': tact_text_add(out, "&gt;"); return true;
    case '&': tact_text_add(out, "&amp;"); return true;
    case '"': tact_text_add(out, "&quot;"); return true;
    case '\'': tact_text_add(out, "&#39;"); return true;
    default: return false;
    }
}

void tact_svg_add_short(tact_text *out, const char *text, int most) {
    size_t left = strlen(text);
    for (int count = 0; left > 0; count++) {
        uint32_t point = 0;
        int length = tact_utf8_decode(text, left, &point);
        // Cut with an ellipsis, by characters and not by bytes.
        if (count == most) {
            tact_text_add(out, "\xe2\x80\xa6");
            return;
        }
        if (length == 0 || tact_utf8_hidden(point) || point == 0xfffe || point == 0xffff)
            tact_text_add(out, "\xef\xbf\xbd");
        else if (length > 1 || !add_entity(out, *text))
            tact_text_add_bytes(out, text, (size_t)length);
        length = length > 0 ? length : 1;
        text += length;
        left -= (size_t)length;
    }
}

void tact_svg_add_escaped(tact_text *out, const char *text) {
    tact_svg_add_short(out, text, -1);
}

void tact_svg_begin(tact_text *out, int width, int height, const char *title, const char *description) {
    TACT_ASSERT(out && width > 0 && height > 0);
    char size[160];
    snprintf(size, sizeof size, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" ",
             width, height, width, height);
    tact_text_print(out, "%-srole=\"img\" aria-label=\"", size);
    tact_svg_add_escaped(out, title);
    tact_text_add(out, "\">\n<title>");
    tact_svg_add_escaped(out, title);
    tact_text_add(out, "</title>\n<desc>");
    tact_svg_add_escaped(out, description);
    tact_text_print(out, "</desc>\n%-s<rect class=\"ground\" width=\"100%%\" height=\"100%%\"/>\n", style);
}

void tact_svg_end(tact_text *out) {
    tact_text_add(out, "</svg>\n");
}

tact_decimal tact_decimal_print(long long digits, int exponent) {
    tact_decimal decimal;
    char whole[24];
    while (digits != 0 && digits % 10 == 0) {
        digits /= 10;
        exponent++;
    }
    unsigned long long size = digits < 0 ? 0 - (unsigned long long)digits : (unsigned long long)digits;
    const char *sign = digits < 0 ? "-" : "";
    if (digits == 0) exponent = 0;
    if (exponent > 4 || exponent < -6) {
        snprintf(decimal.text, sizeof decimal.text, "%s%llue%d", sign, size, exponent);
    } else if (exponent >= 0) {
        snprintf(decimal.text, sizeof decimal.text, "%s%llu%.*s", sign, size, exponent, "0000");
    } else {
        // at least one digit before the point
        int length = snprintf(whole, sizeof whole, "%0*llu", 1 - exponent, size);
        snprintf(decimal.text, sizeof decimal.text, "%s%.*s.%s", sign, length + exponent, whole, whole + length + exponent);
    }
    return decimal;
}

void tact_svg_add_pixel(tact_text *out, double x) {
    // what is far outside the picture, or no number, need not be exact
    double limited = x > 1e6 ? 1e6 : x < -1e6 ? -1e6 : x == x ? x : 0;
    long long hundredths = (long long)(limited * 100 + (limited < 0 ? -0.5 : 0.5));
    tact_text_add(out, tact_decimal_print(hundredths, -2).text);
}

void tact_svg_add_point(tact_text *out, double x, double y) {
    tact_svg_add_pixel(out, x);
    tact_text_add(out, ",");
    tact_svg_add_pixel(out, y);
    tact_text_add(out, " ");
}

void tact_svg_add_attribute(tact_text *out, const char *key, double x) {
    tact_text_print(out, "%-s=\"", key);
    tact_svg_add_pixel(out, x);
    tact_text_add(out, "\" ");
}

void tact_svg_line(tact_text *out, const char *kind, double x0, double y0, double x1, double y1) {
    tact_svg_add_all(out, (const char *const[]){"<line class=\"", kind, "\" ", NULL});
    tact_svg_add_attribute(out, "x1", x0);
    tact_svg_add_attribute(out, "y1", y0);
    tact_svg_add_attribute(out, "x2", x1);
    tact_svg_add_attribute(out, "y2", y1);
    tact_text_add(out, "/>\n");
}

void tact_svg_label(tact_text *out, const char *kind, const char *anchor, double x, double y, const char *text) {
    tact_svg_add_all(out, (const char *const[]){"<text class=\"", kind, "\" text-anchor=\"", anchor, "\" ", NULL});
    tact_svg_add_attribute(out, "x", x);
    tact_svg_add_attribute(out, "y", y);
    tact_text_add(out, ">");
    tact_svg_add_escaped(out, text);
    tact_text_add(out, "</text>\n");
}

// 10^exponent by as few roundings as there are
static double power_of_ten(int exponent) {
    double power = 1;
    for (int i = 0; i < (exponent < 0 ? -exponent : exponent); i++) power *= 10;
    return exponent < 0 ? 1 / power : power;
}

tact_round_step tact_round_step_above(double least) {
    tact_round_step step = {1, -300, 0};
    // a nearly exact hit counts
    double wanted = least * (1 - 1e-9);
    while (step.exponent < 300 && 10 * power_of_ten(step.exponent) < wanted) step.exponent++;
    double power = power_of_ten(step.exponent);
    while (step.digits < 10 && step.digits * power < wanted) step.digits = step.digits == 1 ? 2 : step.digits == 2 ? 5 : 10;
    step.value = step.digits * power;
    return step;
}
