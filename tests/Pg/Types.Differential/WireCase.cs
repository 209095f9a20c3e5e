namespace Ioxide.Pg.Tests;

/// <summary>One type of the server with the .NET types that stand for it in the driver and in Npgsql.</summary>
/// <param name="sqlType">As a column has it.</param>
internal abstract class WireCase(string sqlType)
{
    /// <summary>As a column has it.</summary>
    internal string SqlType { get; } = sqlType;

    /// <summary>The type as Npgsql names it: without a length.</summary>
    internal string NpgsqlType { get; init; } = sqlType.Split('(')[0];

    /// <summary>The columns of the tables are of this type and filled from <c>text</c>: Npgsql has no .NET type that holds every value.</summary>
    internal bool TheirsIsText { get; init; }

    /// <summary>The type by which text is cast to it: numbers in text would be taken for names.</summary>
    internal string? Via { get; init; }

    /// <summary>Reads the column <c>v</c> as the text to compare; what the driver prints is compared with it.</summary>
    internal string Text { get; init; } = "v";

    /// <summary>How an array is written by the driver: one of strings is an array of text.</summary>
    internal string ArrayExpression { get; init; } = "$2";

    /// <summary>Whether the server prints an array's elements as the driver does: not where their names are looked up.</summary>
    internal bool HasTextOfArrays => Text == "v";

    /// <summary>Sends values one way and the other; throws where one differs.</summary>
    /// <param name="bench">The server and both drivers.</param>
    /// <param name="random">Makes the values.</param>
    /// <param name="count">How many, the extremes among them.</param>
    internal abstract Task CheckAsync(RoundTripBench bench, Random random, int count);
}

/// <inheritdoc/>
/// <typeparam name="TOurs">The driver's .NET type.</typeparam>
/// <typeparam name="TOurArray">Its array with NULLs.</typeparam>
/// <typeparam name="TTheirs">Npgsql's .NET type.</typeparam>
/// <typeparam name="TTheirArray">Its array with NULLs.</typeparam>
internal sealed class WireCase<TOurs, TOurArray, TTheirs, TTheirArray>(
    string sqlType,
    Func<TOurs, TTheirs> convert,
    Func<TOurs[], TOurArray> gather,
    Func<TTheirs[], TTheirArray> gatherTheirs,
    Func<Random, TOurs> next,
    TOurs[] extremes) : WireCase(sqlType)
{
    private const int ArrayLength = 9;

    /// <summary>
    /// Begins every array: an array of ranges of times says by the kind of its bounds of what type it is, and the others may have none.
    /// </summary>
    internal TOurs[] ArrayHead { get; init; } = [];

    internal override async Task CheckAsync(RoundTripBench bench, Random random, int count)
    {
        TOurs[] values = [.. extremes, .. Enumerable.Range(0, Math.Max(0, count - extremes.Length)).Select(_ => next(random))];
        await bench.CheckAsync(this, SqlType, NpgsqlType, values, [.. values.Select(convert)]);
        IEnumerable<TOurs[]> chunks = values.Chunk(ArrayLength).Prepend([]).Select(chunk => (TOurs[])[.. ArrayHead, .. chunk]);

        await bench.CheckAsync(
            this,
            SqlType + "[]",
            NpgsqlType + "[]",
            [.. chunks.Select(gather)],
            [.. chunks.Select(chunk => gatherTheirs([.. chunk.Select(convert)]))]);
    }
}
