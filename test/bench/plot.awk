# SPDX-License-Identifier: MIT
# An SVG plot of the series of a CSV file (series,x,value,unit) whose line matches the pattern `series`: one line each, against x.
# The file is given twice. Variables: title, across, up (names of the axes), scale (of values), logarithmic (both axes), full (of
# the series NAME full, x times the value is dashed beside NAME), note (a line below the legend). An exponent of the same name
# stands in the legend.
BEGIN { FS = ","; width = 700; height = 360; left = 70; right = 190; top = 40; bottom = 50; if (!scale) scale = 1 }

NR == FNR { if ($1 == "exponent") exponent[$2] = $3; if (full) whole[$1, $2] = $2 * $3 * scale; next }

$0 ~ series && $2 + 0 > 0 {
    if (!($1 in seen)) { seen[$1] = ++count; name[count] = $1 }
    s = seen[$1]; n = ++points[s]
    x[s, n] = $2 + 0; y[s, n] = $3 * scale
    z[s, n] = full ? whole[$1 full, $2] : 0
    if (!any || $2 + 0 < xlow) xlow = $2 + 0
    if (!any || $2 + 0 > xhigh) xhigh = $2 + 0
    if (!any || y[s, n] < ylow) ylow = y[s, n]
    if (!any || y[s, n] > yhigh) yhigh = y[s, n]
    if (z[s, n] > yhigh) yhigh = z[s, n]
    any = 1
}

function across_at(v) {
    if (xhigh == xlow) return left + (width - left - right) / 2
    if (logarithmic) return left + (log(v) - log(xlow)) / (log(xhigh) - log(xlow)) * (width - left - right)
    return left + (v - xlow) / (xhigh - xlow) * (width - left - right)
}
function up_at(v) {
    if (logarithmic) return height - bottom - (log(v) - log(ylow)) / (log(yhigh) - log(ylow)) * (height - top - bottom)
    return height - bottom - v / yhigh * (height - top - bottom)
}
function escape(t) { gsub(/&/, "\\&amp;", t); gsub(/</, "\\&lt;", t); return t }
function text(tx, ty, anchor, t) {
    printf "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n", tx, ty, anchor, escape(t)
}
function line(x1, y1, x2, y2, colour) {
    printf "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\"/>\n", x1, y1, x2, y2, colour
}
function tick_up(v) { line(left, up_at(v), width - right, up_at(v), "#ddd"); text(left - 6, up_at(v) + 4, "end", v) }
function tick_across(v) { line(across_at(v), height - bottom, across_at(v), height - bottom + 4, "#444"); text(across_at(v), height - bottom + 18, "middle", v < 1e6 ? v : sprintf("%g", v)) }

END {
    if (!any) exit 1
    split("#0072b2 #d55e00 #009e73 #cc79a7 #e69f00", colour, " ")
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\" font-family=\"sans-serif\" font-size=\"12\">\n", width, height, escape(title)
    printf "<title>%s</title>\n<rect width=\"%d\" height=\"%d\" fill=\"white\"/>\n", escape(title), width, height
    if (logarithmic) {
        # whole decades at the lower and upper end
        low = exp(int(log(ylow) / log(10) + 20) * log(10)) / 1e20; high = low
        while (high < yhigh) high *= 10
        ylow = low; yhigh = high
        for (v = ylow; v <= yhigh * 1.01; v *= 10) tick_up(sprintf("%g", v) + 0)
        for (v = 1; v <= xhigh * 1.01; v *= xhigh > 4096 * xlow ? 10 : 4) if (v >= xlow) tick_across(v)
    } else {
        for (step = 1e-3; step * 10 <= yhigh; step *= 10);
        if (yhigh / step < 3) step /= 2
        if (yhigh / step < 3) step /= 2
        yhigh = step * int(yhigh / step + 1)
        for (v = 0; v <= yhigh * 1.001; v += step) tick_up(sprintf("%g", v))
        for (n = 1; n <= points[1]; n++) tick_across(x[1, n])
    }
    line(left, height - bottom, width - right, height - bottom, "#444")
    line(left, top, left, height - bottom, "#444")
    text(width / 2, 22, "middle", title)
    text(left + (width - left - right) / 2, height - 12, "middle", across)
    text(left - 50, top - 8, "start", up)
    for (s = 1; s <= count; s++) {
        printf "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" points=\"", colour[(s - 1) % 5 + 1]
        for (n = 1; n <= points[s]; n++) printf "%.1f,%.1f ", across_at(x[s, n]), up_at(y[s, n])
        print "\"/>"
        if (full) {
            printf "<polyline fill=\"none\" stroke=\"%s\" stroke-dasharray=\"3 4\" points=\"", colour[(s - 1) % 5 + 1]
            for (n = 1; n <= points[s]; n++) printf "%.1f,%.1f ", across_at(x[s, n]), up_at(z[s, n])
            print "\"/>"
        }
        for (n = 1; n <= points[s]; n++)
            printf "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>\n", across_at(x[s, n]), up_at(y[s, n]), colour[(s - 1) % 5 + 1]
        ly = top + 18 * s
        line(width - right + 14, ly - 4, width - right + 34, ly - 4, colour[(s - 1) % 5 + 1])
        text(width - right + 40, ly, "start", name[s] (name[s] in exponent ? ": size^" exponent[name[s]] : ""))
    }
    if (note) text(width - 8, height - 12, "end", note)
    print "</svg>"
}
