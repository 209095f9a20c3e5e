using System.Globalization;
using System.Numerics;
using Npgsql;

namespace Ioxide.Pg.Tests;

/// <summary>A decimal holds a numeric wholly, or the reading is an error: no digit is dropped and none is rounded.</summary>
/// <remarks>The seed is printed.</remarks>
public class NumericDecimalTests(ITestOutputHelper output) : OneConnectionTests
{
    [Theory]
    [InlineData("0.00000000000000000000000000001")]
    [InlineData("0.00000000000000000000000000010", "0.0000000000000000000000000001")]
    [InlineData("1.00000000000000000000000000001")]
    [InlineData("1.12345678901234567890123456780", "1.1234567890123456789012345678")]
    [InlineData("1.12345678901234567890123456781")]
    [InlineData("7.9228162514264337593543950335", "7.9228162514264337593543950335")]
    [InlineData("7.9228162514264337593543950336")]
    [InlineData("79228162514264337593543950335", "79228162514264337593543950335")]
    [InlineData("79228162514264337593543950336")]
    [InlineData("79228162514264337593543950335.0", "79228162514264337593543950335")]
    [InlineData("79228162514264337593543950335.1")]
    [InlineData("7922816251426433759354395033.51")]
    [InlineData("7922816251426433759354395033.55")]
    [InlineData("123456789012345678901234567.891")]
    [InlineData("100000000000000000000000000000")]
    [InlineData("0.000000000000000000000000000000000000", "0.0000000000000000000000000000")]
    public async Task ADigitThatDoesNotFitIsAnError(string text, string? expected = null)
    {
        foreach (string sign in new[] { "", "-" })
        {
            PgStatement statement = Db.Statement($"select '{sign}{text}'::numeric");
            if (expected is null)
            {
                var error = await Assert.ThrowsAsync<PgTypeException>(() => Db.Query(statement).ScalarAsync<decimal>().AsTask());
                Assert.Contains(nameof(PgNumeric), error.Message, StringComparison.Ordinal);
            }
            else
            {
                decimal value = await Db.Query(statement).ScalarAsync<decimal>();
                string shown = value.ToString(CultureInfo.InvariantCulture);
                Assert.Equal(value == 0 ? expected : sign + expected, shown.TrimStart(value == 0 ? '-' : '+'));
            }
        }
    }

    [Fact]
    public async Task RandomNumericsAreReadAsNpgsqlReadsThemOrNotAtAll()
    {
        const int Count = 2_000;
        int seed = TestSeed.Next();
        output.WriteLine($"seed {seed}");
        var random = new Random(seed);
        string[] texts = [.. Enumerable.Range(0, Count).Select(_ => Make(random))];
        PgStatement<string> parse = PgStatement.Create<string>("select $1::text::numeric"u8);
        PostgresServer server = await PostgresServer.SharedAsync();
        await using NpgsqlDataSource theirs = NpgsqlDataSource.Create(Databases.ForNpgsql(server, await server.DatabaseAsync<NumericDecimalTests>()));
        await using NpgsqlConnection connection = await theirs.OpenConnectionAsync();
        await using var command = new NpgsqlCommand("select $1::text::numeric", connection);
        NpgsqlParameter<string> parameter = new();
        command.Parameters.Add(parameter);
        int fitting = 0;
        foreach (string text in texts)
        {
            parameter.TypedValue = text;
            decimal? expected = await DecimalAsync(command);
            BigInteger digits = BigInteger.Parse(text.Replace(".", "", StringComparison.Ordinal), CultureInfo.InvariantCulture);
            if (expected is { } number && Same(text, digits, number))
            {
                fitting++;
                Assert.True(number == await Db.Query(parse, text).ScalarAsync<decimal>(), $"seed {seed}: {text}");
            }
            else if (!Fits(text))
            {
                await Assert.ThrowsAsync<PgTypeException>(() => Db.Query(parse, text).ScalarAsync<decimal>().AsTask());
            }

            Assert.True(PgNumeric.Parse(text) == await Db.Query(parse, text).ScalarAsync<PgNumeric>(), $"seed {seed}: {text}");
        }

        Assert.InRange(fitting, 1, Count - 1);
    }

    private static async Task<decimal?> DecimalAsync(NpgsqlCommand command)
    {
        try
        {
            return (decimal?)await command.ExecuteScalarAsync();
        }
        catch (Exception exception) when (exception is OverflowException or InvalidCastException or IndexOutOfRangeException)
        {
            return null;
        }
    }

    private static bool Same(string text, BigInteger digits, decimal number)
    {
        int places = text.Contains('.', StringComparison.Ordinal) ? text.Length - text.IndexOf('.', StringComparison.Ordinal) - 1 : 0;
        int[] bits = decimal.GetBits(number);
        BigInteger mantissa = ((BigInteger)(uint)bits[2] << 64) | ((BigInteger)(uint)bits[1] << 32) | (uint)bits[0];
        return BigInteger.Abs(digits) * BigInteger.Pow(10, number.Scale) == mantissa * BigInteger.Pow(10, places) && (digits.Sign < 0) == (number < 0);
    }

    /// <summary>Whether any decimal is the number: 96 bits without the zeros at its end, and 28 places.</summary>
    private static bool Fits(string text)
    {
        string whole = text.Contains('.', StringComparison.Ordinal) ? text.TrimEnd('0').TrimEnd('.') : text;
        int places = whole.Contains('.', StringComparison.Ordinal) ? whole.Length - whole.IndexOf('.', StringComparison.Ordinal) - 1 : 0;
        BigInteger digits = BigInteger.Abs(BigInteger.Parse(whole.Replace(".", "", StringComparison.Ordinal), CultureInfo.InvariantCulture));
        return places <= 28 && digits < BigInteger.One << 96;
    }

    private static string Make(Random random)
    {
        string front = Digits(random, random.Next(1, 32)).TrimStart('0');
        string behind = Digits(random, random.Next(0, 32));
        return $"{(random.Next(2) == 0 ? "-" : "")}{(front.Length == 0 ? "0" : front)}{(behind.Length == 0 ? "" : ".")}{behind}";
    }

    private static string Digits(Random random, int count)
        => string.Concat(Enumerable.Range(0, count).Select(i => random.Next(3) == 0 ? 0 : random.Next(10)));
}
