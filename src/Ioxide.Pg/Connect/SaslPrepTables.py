"""Writes SaslPrepTables.Data.cs: the tables of RFC 3454 that RFC 4013 names, and those of NFKC.

Run it here: python3 SaslPrepTables.py
"""
import base64
import stringprep
import sys
import unicodedata
import zlib

LAST = 0x110000


def varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def ranges(test):
    """Count, then for each range its distance from the end of the one before, and its length."""
    found, start = [], None
    for code in range(LAST + 1):
        inside = code < LAST and test(chr(code))
        if inside and start is None:
            start = code
        elif not inside and start is not None:
            found.append((start, code - start))
            start = None
    out, last = bytearray(varint(len(found))), 0
    for first, length in found:
        out += varint(first - last) + varint(length)
        last = first + length
    return bytes(out)


def is_surrogate(c):
    return 0xD800 <= ord(c) <= 0xDFFF


def prohibited(c):
    return any(table(c) for table in (
        stringprep.in_table_c12, stringprep.in_table_c21_c22, stringprep.in_table_c3, stringprep.in_table_c4,
        stringprep.in_table_c5, stringprep.in_table_c6, stringprep.in_table_c7, stringprep.in_table_c8,
        stringprep.in_table_c9)) or stringprep.in_table_a1(c)


def mapped():
    """Count, then code point distance, kind (1: canonical pair that composes again), and the full decomposition."""
    out, last, count = bytearray(), 0, 0
    for code in range(LAST):
        c = chr(code)
        if is_surrogate(c) or 0xAC00 <= code <= 0xD7A3:
            continue
        full = unicodedata.normalize('NFKD', c)
        direct = unicodedata.decomposition(c).split()
        composes = len(direct) == 2 and not direct[0].startswith('<') and unicodedata.normalize('NFC', c) == c
        if full == c:
            continue
        count += 1
        out += varint(code - last) + varint(len(full) * 2 + composes)
        if composes:
            out += varint(int(direct[0], 16)) + varint(int(direct[1], 16))
        for part in full:
            out += varint(ord(part))
        last = code
    return varint(count) + bytes(out)


def classes():
    """Count, then code point distance and combining class."""
    out, last, count = bytearray(), 0, 0
    for code in range(LAST):
        if unicodedata.combining(chr(code)):
            count += 1
            out += varint(code - last) + varint(unicodedata.combining(chr(code)))
            last = code
    return varint(count) + bytes(out)


data = (ranges(stringprep.in_table_c12) + ranges(stringprep.in_table_b1) + ranges(prohibited)
        + ranges(stringprep.in_table_d1) + ranges(stringprep.in_table_d2) + mapped() + classes())
packed = base64.b64encode(zlib.compress(data, 9)).decode()
with open('SaslPrepTables.Data.cs', 'w', newline='\n') as file:
    file.write('namespace Ioxide.Pg;\n\n')
    file.write('// Written by SaslPrepTables.py from Unicode %s; do not edit.\n' % unicodedata.unidata_version)
    file.write('internal sealed partial class SaslPrepTables\n{\n    private const string Packed =\n')
    width = 128
    lines = [packed[i:i + width] for i in range(0, len(packed), width)]
    file.write(' +\n'.join('        "%s"' % line for line in lines) + ';\n}\n')
print(len(data), len(packed), len(lines), file=sys.stderr)
