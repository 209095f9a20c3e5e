using System.Collections;
using System.Globalization;
using System.Net;
using System.Text;
using System.Text.Json;
using Npgsql;
using NpgsqlTypes;

namespace Ioxide.Pg.Tests;

/// <summary>A data source of each driver on one server, and psql as the third witness.</summary>
internal sealed class RoundTripBench(PgDataSource ours, NpgsqlDataSource theirs, PostgresServer server, string database)
{
    private const int BatchLength = 500;
    private const string Settings =
        "set timezone = 'UTC'; set datestyle = 'ISO'; set intervalstyle = 'postgres'; set extra_float_digits = 1; set lc_monetary = 'C';";

    /// <summary>
    /// Writes the values by each driver, reads each table by the other, and compares what psql prints of both tables, and of the
    /// driver's what the driver prints.
    /// </summary>
    internal async Task CheckAsync<TOurs, TTheirs>(WireCase @case, string sqlType, string npgsqlType, TOurs[] values, TTheirs[] expected)
    {
        await RunAsync($"drop table if exists ours, theirs; create unlogged table ours (i int, v {sqlType}); create unlogged table theirs (like ours)");
        bool isArray = sqlType.EndsWith("[]", StringComparison.Ordinal);
        await WriteOursAsync(values, isArray ? @case.ArrayExpression : "$2");
        await WriteTheirsAsync(@case, sqlType, npgsqlType, expected);

        List<TTheirs> byThem = await ReadTheirsAsync<TTheirs>(@case, isArray);
        AssertSame(expected, byThem, sqlType, "written by the driver, read by Npgsql");
        List<TOurs> byUs = await ReadOursAsync(static row => row.Get<TOurs>(0), "theirs");
        AssertSame(values, byUs, sqlType, "written by Npgsql, read by the driver");

        string text = isArray && !@case.HasTextOfArrays ? "v::oid[]" : @case.Text;
        string[] printed = await PrintAsync(text, "ours");
        AssertSame(printed, await PrintAsync(text, "theirs"), sqlType, "printed by psql: of the driver's table, of Npgsql's");
        AssertSame(printed, await ReadOursAsync(static row => row.GetString(0)!, "ours"), sqlType, "printed by psql, printed by the driver");
    }

    private async Task WriteOursAsync<T>(T[] values, string expression)
    {
        PgStatement<int, T> insert = PgStatement.Create<int, T>(Encoding.UTF8.GetBytes($"insert into ours values ($1, {expression})"));
        for (int start = 0; start < values.Length; start += BatchLength)
        {
            PgBatch batch = ours.CreateBatch();
            for (int index = start; index < Math.Min(start + BatchLength, values.Length); index++)
            {
                ours.Query(insert, index, values[index]).Execute(batch);
            }

            await batch.RunAsync().AsTask().Within(60.Seconds());
        }
    }

    private async Task WriteTheirsAsync<T>(WireCase @case, string sqlType, string npgsqlType, T[] values)
    {
        await using NpgsqlConnection connection = await theirs.OpenConnectionAsync();
        await RunTheirsAsync(connection, "create temp table stage (i int, v text, vs text[])");
        bool isText = @case.TheirsIsText;
        string column = npgsqlType.EndsWith("[]", StringComparison.Ordinal) ? "vs" : "v";
        string target = isText ? $"stage (i, {column})" : "theirs";
        string type = isText ? column == "v" ? "text" : "text[]" : npgsqlType;
        await using (NpgsqlBinaryImporter importer = await connection.BeginBinaryImportAsync($"copy {target} from stdin (format binary)"))
        {
            for (int index = 0; index < values.Length; index++)
            {
                await importer.StartRowAsync();
                await importer.WriteAsync(index, "integer");
                await importer.WriteAsync(values[index], type);
            }

            await importer.CompleteAsync();
        }

        if (isText)
        {
            string via = @case.Via is null ? "" : column == "v" ? $"::{@case.Via}" : $"::{@case.Via}[]";
            await RunTheirsAsync(connection, $"insert into theirs select i, {column}{via}::{sqlType} from stage");
        }
    }

    private async Task<List<T>> ReadTheirsAsync<T>(WireCase @case, bool isArray)
    {
        string value = @case.TheirsIsText ? isArray ? "v::text[]" : "v::text" : "v";
        await using NpgsqlConnection connection = await theirs.OpenConnectionAsync();
        await using NpgsqlCommand command = new($"select {value} from ours order by i", connection);
        await using NpgsqlDataReader reader = await command.ExecuteReaderAsync();
        var list = new List<T>();
        while (await reader.ReadAsync())
        {
            list.Add(await reader.GetFieldValueAsync<T>(0));
        }

        return list;
    }

    private Task<List<T>> ReadOursAsync<T>(PgRowReader<T> read, string table)
        => ours.Query(ours.Statement($"select v from {table} order by i")).ListAsync(read).AsTask().Within(60.Seconds());

    private async Task<string[]> PrintAsync(string text, string table)
        => [.. (await RunAsync($"{Settings} copy (select format('%s', {text}) from {table} order by i) to stdout")).Split('\n').Select(ServerVector.Unescape)];

    private Task<string> RunAsync(string sql) => server.RunSqlAsync(sql + ";", database, PgUsers.Trust);

    private static async Task RunTheirsAsync(NpgsqlConnection connection, string sql)
    {
        await using NpgsqlCommand command = new(sql, connection);
        await command.ExecuteNonQueryAsync();
    }

    private static void AssertSame<T>(IReadOnlyList<T> expected, IReadOnlyList<T> actual, string sqlType, string what)
    {
        Assert.True(expected.Count == actual.Count, $"{sqlType}, {what}: {expected.Count} values, {actual.Count} values");
        for (int index = 0; index < expected.Count; index++)
        {
            string left = Show(expected[index]);
            string right = Show(actual[index]);
            Assert.True(left == right, $"{sqlType}, value {index}, {what}: {left} and {right}");
        }
    }

    /// <summary>Everything of a value: equal texts are equal values.</summary>
    private static string Show(object? value) => value switch
    {
        null => "null",
        string text => $"'{text}'",
        double number => BitConverter.DoubleToInt64Bits(double.IsNaN(number) ? double.NaN : number).ToString("X16", CultureInfo.InvariantCulture),
        float number => BitConverter.SingleToInt32Bits(float.IsNaN(number) ? float.NaN : number).ToString("X8", CultureInfo.InvariantCulture),
        DateTime time => $"{time.Ticks} {time.Kind}",
        DateTimeOffset time => $"{time.Ticks} {time.Offset}",
        DateOnly or TimeOnly => string.Create(CultureInfo.InvariantCulture, $"{value:O}"),
        JsonDocument document => document.RootElement.GetRawText(),
        IPAddress or IPNetwork => $"{value}",
        byte[] bytes => Convert.ToHexString(bytes),
        BitArray bits => "b" + string.Concat(bits.Cast<bool>().Select(static bit => bit ? '1' : '0')),
        Dictionary<string, string?> pairs
            => string.Join(", ", pairs.OrderBy(static pair => pair.Key, StringComparer.Ordinal).Select(static pair => $"{pair.Key}=>{Show(pair.Value)}")),
        NpgsqlInterval span => $"{span.Months} {span.Days} {span.Time}",
        NpgsqlRange<int> range => Show(range),
        NpgsqlRange<long> range => Show(range),
        NpgsqlRange<decimal> range => Show(range),
        NpgsqlRange<DateTime> range => Show(range),
        NpgsqlRange<DateOnly> range => Show(range),
        PgRange<int> range => Show(range),
        PgRange<long> range => Show(range),
        PgRange<decimal> range => Show(range),
        PgRange<DateTime> range => Show(range),
        PgRange<DateOnly> range => Show(range),
        IEnumerable list => "[" + string.Join(", ", list.Cast<object?>().Select(Show)) + "]",
        IFormattable formattable => formattable.ToString(null, CultureInfo.InvariantCulture),
        _ => value.ToString() is { } text && text != value.GetType().ToString() ? text : throw new NotSupportedException($"{value}"),
    };

    private static string Show<T>(NpgsqlRange<T> range)
        => range.IsEmpty ? "empty"
            : $"{(range.LowerBoundIsInclusive ? '[' : '(')}{(range.LowerBoundInfinite ? "" : Show(range.LowerBound))}"
                + $",{(range.UpperBoundInfinite ? "" : Show(range.UpperBound))}{(range.UpperBoundIsInclusive ? ']' : ')')}";

    private static string Show<T>(PgRange<T> range)
        => range.IsEmpty ? "empty"
            : $"{(range.LowerInclusive ? '[' : '(')}{(range.LowerInfinite ? "" : Show(range.Lower))}"
                + $",{(range.UpperInfinite ? "" : Show(range.Upper))}{(range.UpperInclusive ? ']' : ')')}";
}
