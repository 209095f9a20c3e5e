using Ioxide.Pg.Data;
using static Ioxide.Pg.Tests.BackendMessages;

namespace Ioxide.Pg.Tests;

/// <summary>A row that is cut at every byte: its values come out of it as they went in, and a torn one is found out.</summary>
public class RowCutterTests
{
    private static readonly byte[]?[] s_values = [[1, 2, 3, 4], null, [], "a text of some length"u8.ToArray(), null, [0xff], []];

    private static readonly byte[] s_body = DataRow(s_values)[5..];

    [Fact]
    public void ARowThatArrivesInTwoPiecesIsTheSameWhereverItIsCut()
    {
        var cutter = new RowCutter();
        for (int at = 0; at <= s_body.Length; at++)
        {
            var chunk = new RowChunk();
            cutter.Begin(s_body.Length, s_values.Length, chunk);
            cutter.Take(s_body.AsSpan(0, at), chunk);
            cutter.Take(s_body.AsSpan(at), chunk);
            Assert.Equal(s_values, ValuesOf(chunk));
        }
    }

    [Fact]
    public void ARowThatArrivesByteByByteIsTheSame()
    {
        var cutter = new RowCutter();
        var chunk = new RowChunk();
        cutter.Begin(s_body.Length, s_values.Length, chunk);
        foreach (byte one in s_body)
        {
            cutter.Take([one], chunk);
        }

        Assert.Equal(s_values, ValuesOf(chunk));
    }

    [Fact]
    public void ATornRowIsFoundOutWhereverItIsCut()
    {
        byte[][] torn =
        [
            DataRow([1, 2, 3], [4, 5], [6])[5..],
            [0, 2, 0, 0, 0, 9, 1, 0, 0, 0, 1, 1],
            [0, 2, 0xff, 0xff, 0xff, 0xfe, 0xff, 0xff, 0xff, 0xff],
            [0, 2, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
            [0, 2, 0, 0, 0, 1, 1, 0, 0, 0, 1],
            [0, 2, 0, 0, 0, 1, 1, 0, 0, 0, 1, 1, 9],
            [0, 2, 0, 0, 0, 1, 1, 0, 0],
            [0, 2],
            [0, 3, 0, 0, 0, 0, 0, 0, 0, 0],
            [0],
        ];
        foreach (byte[] body in torn)
        {
            for (int at = 0; at <= body.Length; at++)
            {
                var cutter = new RowCutter();
                cutter.Begin(body.Length, 2, null);
                Assert.Throws<PgProtocolException>(() =>
                {
                    cutter.Take(body.AsSpan(0, at), null);
                    cutter.Take(body.AsSpan(at), null);
                });
            }
        }
    }

    private static List<byte[]?> ValuesOf(RowChunk chunk)
    {
        var values = new List<byte[]?>();
        int position = 0;
        Assert.Equal(RowChunk.LongRow, Take(out _));
        while (Take(out int number) is var kind && kind != RowChunk.LongRowEnd)
        {
            if (kind == RowChunk.Value)
            {
                values.Add(number < 0 ? null : []);
                continue;
            }

            Assert.Equal(RowChunk.Piece, kind);
            values[^1] = [.. values[^1]!, .. chunk.Bytes.AsSpan(position, number)];
            position += number;
        }

        Assert.Equal(chunk.Length, position);
        return values;

        byte Take(out int number)
        {
            byte kind = chunk.Bytes[position];
            number = RowChunk.NumberAt(chunk.Bytes, position);
            position += RowChunk.HeaderBytes;
            return kind;
        }
    }
}
