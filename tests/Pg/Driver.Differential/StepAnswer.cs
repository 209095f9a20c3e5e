namespace Ioxide.Pg.Tests;

/// <summary>A column of a result.</summary>
/// <param name="Name">Its name.</param>
/// <param name="Type">The type of PostgreSQL: its name, or its OID where no facade names it.</param>
/// <param name="ClrType">The type of .NET; empty where values are compared as text.</param>
internal sealed record AnsweredColumn(string Name, string Type, string ClrType);

/// <summary>What one statement answered.</summary>
internal sealed class AnsweredResult
{
    /// <summary>Null where there are none, or where the way it was run does not show them.</summary>
    internal List<AnsweredColumn>? Columns { get; set; }

    internal List<string[]> Rows { get; } = [];

    /// <summary>Rows that were changed; null where it is not shown.</summary>
    internal long? Affected { get; set; }

    /// <summary>The kind of statement, as both sides name it; null where it is not shown.</summary>
    internal string? Tag { get; set; }

    internal string TypeOf(int column) => Columns is { } columns && column < columns.Count ? columns[column].Type : "?";
}

/// <summary>What a target answered to a step.</summary>
internal sealed class StepAnswer
{
    private const int ShownRows = 5;

    internal List<AnsweredResult> Results { get; } = [];

    /// <summary>SQLSTATE and message, <c>client</c> and the exception, or null.</summary>
    internal string? Error { get; set; }

    /// <summary>The exception, where it is of a type by which no client should refuse.</summary>
    internal string? Fault { get; set; }

    /// <summary>The command of a batch that failed, where the exception names it.</summary>
    internal int? FailedCommand { get; set; }

    public override string ToString()
    {
        IEnumerable<string> results = Results.Select(static result =>
            $"{(result.Columns is { } columns ? string.Join(", ", columns.Select(static column => $"{column.Name} {column.Type} {column.ClrType}")) : "no columns")}"
            + $" affected={result.Affected} {result.Tag}" + string.Concat(result.Rows.Take(ShownRows).Select(static row => $"\n      | {string.Join(" | ", row)}"))
            + (result.Rows.Count > ShownRows ? $"\n      | ... {result.Rows.Count} rows" : ""));
        return $"{(Error is null ? "" : $"error {Error} (command {FailedCommand}) ")}{string.Join("\n    ", results)}";
    }
}
