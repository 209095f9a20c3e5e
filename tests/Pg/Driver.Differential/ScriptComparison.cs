using System.Globalization;
using System.Text.RegularExpressions;

namespace Ioxide.Pg.Tests;

/// <summary>Finds the differences of two answers.</summary>
internal static partial class ScriptComparison
{
    /// <summary>How the facade begins the name of a type that a database makes.</summary>
    internal const string OwnType = "OID ";

    /// <summary>What no reason explains: an exception that says nothing of the script.</summary>
    internal const string Fault = "fault";

    /// <summary>The first of each kind of place.</summary>
    internal static IEnumerable<Mismatch> Compare(ScriptStep step, StepAnswer expected, StepAnswer actual, bool isNative)
    {
        if (actual.Fault is { } fault)
        {
            yield return new Mismatch(Fault, "", expected.Error ?? "none", fault);
            yield break;
        }

        if (ErrorKind(expected.Error) != ErrorKind(actual.Error))
        {
            yield return new Mismatch("error", "", expected.Error ?? "none", actual.Error ?? "none");

            // What came before one error and not the other says nothing more.
            yield break;
        }

        // Npgsql does not name it where its error comes behind rows.
        if (!isNative && expected.FailedCommand is not null && expected.FailedCommand != actual.FailedCommand)
        {
            yield return new Mismatch("failed command", "", $"{expected.FailedCommand}", $"{actual.FailedCommand}");
        }

        List<AnsweredResult> left = isNative ? [.. expected.Results.Where(HasRows)] : expected.Results;
        List<AnsweredResult> right = isNative ? [.. actual.Results.Where(HasRows)] : actual.Results;
        if (isNative && expected.Error is not null)
        {
            // Rows of the statement that failed are given to its callback, but are no answer.
            left = [.. left.Take(right.Count)];
        }

        if (left.Count != right.Count)
        {
            yield return new Mismatch("results", "", Count(left.Count), Count(right.Count));
            yield break;
        }

        for (int index = 0; index < left.Count; index++)
        {
            foreach (Mismatch mismatch in Compare(left[index], right[index], isNative))
            {
                yield return mismatch;
            }
        }

        bool isCounted = expected.Error is null && step.Mode != StepMode.Few && step.Kind is StepKind.Command or StepKind.Batch or StepKind.Text;
        if (isCounted && Affected(expected) is { } count && Affected(actual) is { } other && count != other)
        {
            yield return new Mismatch("affected", "", Count(count), Count(other));
        }
    }

    /// <summary>Tables that a script left: the lines that only one side has.</summary>
    internal static Mismatch? CompareTables(string expected, string actual)
    {
        if (expected == actual)
        {
            return null;
        }

        string[] left = expected.Split('\n');
        string[] right = actual.Split('\n');
        return new Mismatch("tables", "", string.Join('\n', left.Except(right)), string.Join('\n', right.Except(left)));
    }

    private static IEnumerable<Mismatch> Compare(AnsweredResult expected, AnsweredResult actual, bool isNative)
    {
        if (!isNative || expected.Rows.Count > 0)
        {
            string left = Names(expected);
            string right = Names(actual);
            if (expected.Columns is not null && left != right)
            {
                yield return new Mismatch("columns", "", left, right);
            }
        }

        for (int column = 0; !isNative && column < Math.Min(expected.Columns?.Count ?? 0, actual.Columns?.Count ?? 0); column++)
        {
            AnsweredColumn left = expected.Columns![column]; // Counted just now.
            AnsweredColumn right = actual.Columns![column];
            if (left != right && left with { ClrType = right.ClrType } == right && left.ClrType == CellText.Unreadable)
            {
                // The driver may read what Npgsql does not.
                continue;
            }

            if (left != right)
            {
                yield return new Mismatch("column", left.Type, $"{left.Type} {left.ClrType}", $"{right.Type} {right.ClrType}");
            }
        }

        if (expected.Rows.Count != actual.Rows.Count)
        {
            yield return new Mismatch("rows", "", Count(expected.Rows.Count), Count(actual.Rows.Count));
            yield break;
        }

        foreach ((string[] left, string[] right) in expected.Rows.Zip(actual.Rows))
        {
            for (int column = 0; column < Math.Max(left.Length, right.Length); column++)
            {
                string cell = column < left.Length ? left[column] : "none";
                string other = column < right.Length ? right[column] : "none";
                if (expected.Columns is { } columns && column < columns.Count && columns[column].ClrType == CellText.Unreadable)
                {
                    continue;
                }

                if (cell != other && !(cell.StartsWith(CellText.Unreadable, StringComparison.Ordinal) && other.StartsWith(CellText.Unreadable, StringComparison.Ordinal)))
                {
                    string type = actual.TypeOf(column).StartsWith(OwnType, StringComparison.Ordinal) ? OwnType : expected.TypeOf(column);
                    yield return new Mismatch("value", type, cell, other);
                }
            }
        }
    }

    private static bool HasRows(AnsweredResult result) => result.Rows.Count > 0;

    private static string Names(AnsweredResult result) => result.Columns is null ? "none" : string.Join(", ", result.Columns.Select(static column => column.Name));

    private static long? Affected(StepAnswer answer)
    {
        long[] counts = [.. answer.Results.Select(static result => result.Affected).OfType<long>()];
        return counts.Length == 0 ? null : counts.All(static count => count < 0) ? -1 : counts.Where(static count => count >= 0).Sum();
    }

    /// <summary>Two clients refuse the same with exceptions of their own; what the server refuses is the same.</summary>
    private static string? ErrorKind(string? error)
        => error is null ? null : error.StartsWith("client ", StringComparison.Ordinal) ? "client" : StatementName().Replace(error, "statement");

    [GeneratedRegex("prepared statement \"[^\"]*\"")]
    private static partial Regex StatementName();

    private static string Count(long count) => count.ToString(CultureInfo.InvariantCulture);
}
