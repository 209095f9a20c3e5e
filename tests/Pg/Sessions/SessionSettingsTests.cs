using System.Buffers;
using System.Text;
using Ioxide.Pg.Data;

namespace Ioxide.Pg.Tests;

/// <summary>Values are right whatever a session says of the look of text, or refused where they arrive as text that cannot be read.</summary>
public class SessionSettingsTests() : SourceTests(hasOneConnection: false)
{
    private static readonly PgStatement s_columns = PgStatement.Create(
        """
        select date '2024-02-03', time '04:05:06.5', timetz '04:05:06+02', timestamp '2024-02-03 04:05:06.5', timestamptz '2024-02-03 04:05:06+00',
            interval '-1 day -02:03:04', '{2024-02-03 04:05:06+00}'::timestamptz[], '\x00ff5c27'::bytea, 0.1::float4, 2.718281828459045::float8,
            '[2024-02-03 04:05+00,2024-03-04 05:06+00)'::tstzrange, '{0.1,2.718281828459045}'::float8[], 1.50::numeric
        """u8);

    public static TheoryData<string> Settings { get; } =
    [
        "set timezone = 'Europe/Berlin'; set datestyle = 'German, DMY'; set intervalstyle = iso_8601; set extra_float_digits = 0; "
            + "set bytea_output = escape",
        "set timezone = 'America/St_Johns'; set datestyle = 'SQL, DMY'; set intervalstyle = sql_standard; set extra_float_digits = -15; "
            + "set bytea_output = hex",
        "set timezone = 'Asia/Tokyo'; set datestyle = 'Postgres, MDY'; set intervalstyle = postgres_verbose; set bytea_output = escape",
    ];

    private sealed record Moments(DateOnly Day, DateTime At, DateTime AtUtc);

    private sealed record Span(TimeSpan Length);

    private sealed record Plain(double Number, byte[] Bytes, byte[][] More);

    [Theory, MemberData(nameof(Settings))]
    public async Task ARowIsTheSame(string settings)
    {
        await using PgSession session = await Db.OpenSessionAsync();
        await session.RunScriptAsync("set timezone = 'UTC'");
        string[] before = await ReadAsync(session);
        Assert.Equal(
            [
                "2024-02-03", "04:05:06.5", "04:05:06+02", "2024-02-03 04:05:06.5", "2024-02-03 04:05:06+00", "-1 days -02:03:04",
                "{\"2024-02-03 04:05:06+00\"}",
            ],
            before[0].Split('|')[..7]);
        await session.RunScriptAsync(settings);
        Assert.Equal(before, await ReadAsync(session));

        // The control: a script's rows are the server's text.
        PgScriptResult script = await session.RunScriptAsync("select timestamptz '2024-02-03 04:05:06+00'");
        Assert.NotEqual("2024-02-03 04:05:06+00", script.Rows[0][0]);
    }

    [Theory, MemberData(nameof(Settings))]
    public async Task WithinATypeOfTheDatabaseAValueIsRightOrRefused(string settings)
    {
        PgDataSource db = await Databases.OpenAsync<SessionSettingsTests>(
            Fixture, configure: static options => options.MapComposite<Moments>().MapComposite<Span>().MapComposite<Plain>());
        await using (PgSession session = await db.OpenSessionAsync())
        {
            await session.RunScriptAsync(
                """
                drop type if exists moments, span, plain;
                create type moments as (day date, at timestamp, at_utc timestamptz);
                create type span as (length interval);
                create type plain as (number float8, bytes bytea, more bytea[]);
                """);
        }

        await using PgDbConnection connection = await db.AsDbDataSource().OpenConnectionAsync();
        await connection.ReloadTypesAsync();
        object[] expected =
        [new Moments(new(2024, 2, 3), new(2024, 2, 3, 4, 5, 6), new(2024, 2, 3, 4, 5, 6, DateTimeKind.Utc)), new Span(TimeSpan.FromHours(-25))];
        string[] columns = ["row('2024-02-03', '2024-02-03 04:05:06', '2024-02-03 04:05:06+00')::moments", "row('-1 day -01:00:00')::span"];
        for (int i = 0; i < columns.Length; i++)
        {
            await using var command = new PgDbCommand($"select {columns[i]}", connection);
            Assert.Equal(expected[i], await command.ExecuteScalarAsync());
        }

        await using (var set = new PgDbCommand(settings, connection))
        {
            await set.ExecuteNonQueryAsync();
        }

        await using var moments = new PgDbCommand(
            $"select timestamp '2024-02-03 04:05:06', {columns[0]}, {columns[1]}, row(0.5, '\\x00ff5c27', array['\\x01'::bytea, '\\x025c'])::plain",
            connection);
        await using PgDbDataReader reader = (PgDbDataReader)await moments.ExecuteReaderAsync();
        Assert.True(await reader.ReadAsync());
        for (int column = 1; column <= 2; column++)
        {
            InvalidCastException refused = Assert.Throws<InvalidCastException>(() => reader.GetValue(column));
            Assert.Contains("DateStyle ISO", refused.Message, StringComparison.Ordinal);
        }

        Plain plain = reader.GetFieldValue<Plain>(3);
        Assert.Equal(["00FF5C27", "01", "025C"], plain.More.Prepend(plain.Bytes).Select(Convert.ToHexString));
        await reader.DisposeAsync();
        await using var sent = new PgDbCommand("select (@p::plain).bytes, (@p::plain).more", connection);
        sent.Parameters.Add(new PgDbParameter("p", plain));
        await using PgDbDataReader back = (PgDbDataReader)await sent.ExecuteReaderAsync();
        Assert.True(await back.ReadAsync());
        Assert.Equal(["00FF5C27", "01", "025C"], back.GetFieldValue<byte[][]>(1).Prepend(back.GetFieldValue<byte[]>(0)).Select(Convert.ToHexString));
    }

    [Theory]
    [InlineData("0031-03-02", true)]
    [InlineData("03-02-0031", false)]
    [InlineData("02.03.0031", false)]
    [InlineData("03/02/0031", false)]
    [InlineData("12024-03-02", true)]
    public void AMonthIsNotTakenForAYear(string text, bool isDate)
        => Assert.Equal(isDate, DateTimeParser.TryParseDate(Encoding.ASCII.GetBytes(text), out _));

    private static async Task<string[]> ReadAsync(PgSession session)
    {
        string[] rows = await session.Query(s_columns).FirstAsync(static row =>
        {
            var json = new ArrayBufferWriter<byte>();
            var text = new ArrayBufferWriter<byte>();
            string[] texts = new string[row.Count];
            for (int i = 0; i < row.Count; i++)
            {
                texts[i] = row.GetString(i)!; // Never NULL.
                row.WriteText(i, text);
                row.WriteJson(i, json);
            }

            return new[]
            {
                string.Join('|', texts), Encoding.UTF8.GetString(text.WrittenSpan), Encoding.UTF8.GetString(json.WrittenSpan),
                $"{row.Get<DateOnly>(0):O} {row.Get<TimeOnly>(1):O} {row.Get<PgTimeTz>(2)}",
                $"{row.GetDateTime(3):O} {row.GetDateTime(4):O} {row.Get<TimeSpan>(5)}",
                $"{row.Get<DateTime[]>(6)[0]:O} {Convert.ToHexString(row.Get<byte[]>(7))} {row.GetSingle(8):R} {row.GetDouble(9):R}",
            };
        });
        return rows;
    }
}
