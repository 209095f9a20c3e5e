using System.Numerics;

namespace Ioxide.Pg.Tests;

/// <summary>Ten thousand random values of each type come back as they were written, in the binary form and as text; the seed is printed.</summary>
public class RandomRoundTripTests(ITestOutputHelper output)
{
    private const int Count = 10_000;
    private readonly int _seed = TestSeed.Next();

    [Fact]
    public void Integers()
    {
        Check(random => (short)random.NextInt64());
        Check(random => (int)random.NextInt64());
        Check(random => random.NextInt64() - random.NextInt64());
        Check(random => (uint)random.NextInt64());
    }

    [Fact]
    public void FloatsOfEveryBitPattern()
    {
        Check(random => Finite(BitConverter.Int64BitsToDouble(random.NextInt64() ^ (random.NextInt64() << 1))));
        Check(random => (float)Finite(BitConverter.Int32BitsToSingle((int)random.NextInt64())));
    }

    [Fact]
    public void DecimalsKeepValueAndScale()
        => Check(
            random => new decimal((int)random.NextInt64(), random.Next(2) * (int)random.NextInt64(), random.Next(2) * (int)random.NextInt64(), random.Next(2) == 0, (byte)random.Next(29)),
            (left, right) => left == right && (left == 0 || left.Scale == right.Scale));

    [Fact]
    public void DecimalsReadAsNumericsPrintTheSame()
        => Check(
            random => (PgNumeric)new decimal((int)random.NextInt64(), (int)random.NextInt64(), random.Next(), random.Next(2) == 0, (byte)random.Next(29)),
            (left, right) => left == right && left.ToString() == ((decimal)right).ToString(System.Globalization.CultureInfo.InvariantCulture).Replace("-0.", right.IsNegative ? "-0." : "0.", StringComparison.Ordinal));

    [Fact]
    public void LongNumerics() => Check(random => PgNumeric.Parse($"{(random.Next(2) == 0 ? "-" : "")}{Digits(random, 60)}.{Digits(random, 60)}"));

    [Fact]
    public void BigIntegers()
        => Check(random =>
        {
            byte[] bytes = new byte[random.Next(1, 60)];
            random.NextBytes(bytes);
            return new BigInteger(bytes);
        });

    [Fact]
    public void Moments()
    {
        Check(random => new DateTime(random.NextInt64(DateTime.MaxValue.Ticks / 10) * 10, DateTimeKind.Unspecified));
        Check(random => new DateTime(random.NextInt64(DateTime.MaxValue.Ticks / 10) * 10, DateTimeKind.Utc), (left, right) => left == right && left.Kind == right.Kind);
        Check(random => new DateTimeOffset(random.NextInt64(1, DateTime.MaxValue.Ticks / 10) * 10, TimeSpan.Zero));
        Check(random => DateOnly.FromDayNumber(random.Next(DateOnly.MaxValue.DayNumber)));
        Check(random => new TimeOnly(random.NextInt64(TimeSpan.TicksPerDay / 10) * 10));
        Check(random => new TimeSpan((random.NextInt64() - random.NextInt64()) / 20 * 10));
        Check(random => new PgDate(random.Next(-2_451_545, 2_145_031_948)));
        Check(random => new PgTimestamp(random.NextInt64(-211_813_488_000_000_000, 9_223_371_331_200_000_000)));
        Check(random => new PgInterval(random.Next() - random.Next(), random.Next() - random.Next(), random.NextInt64() - random.NextInt64()));
        Check(random => new PgTimeTz(random.NextInt64(PgEpoch.MicrosecondsPerDay + 1), random.Next(-57_599, 57_600)));
    }

    [Fact]
    public void TextsBytesAndUuids()
    {
        Check(random => new string([.. Enumerable.Range(0, random.Next(40)).Select(_ => (char)random.Next(1, 0xD7FF))]));
        Check(random => Guid.NewGuid());
        Check(
            random =>
            {
                byte[] bytes = new byte[random.Next(40)];
                random.NextBytes(bytes);
                return bytes;
            },
            (left, right) => left.AsSpan().SequenceEqual(right));
    }

    [Fact]
    public void ArraysWithNullsAndBounds()
    {
        Check(random => Enumerable.Range(0, random.Next(9)).Select(_ => random.Next(3) == 0 ? (int?)null : random.Next()).ToArray(), Same);
        Check(
            random => Enumerable.Range(0, random.Next(9)).Select(_ => random.Next(3) == 0 ? null! : Text(random)).ToList(),
            (left, right) => left.SequenceEqual(right));
        Check(
            random =>
            {
                int[] lengths = [random.Next(1, 4), random.Next(1, 4), random.Next(1, 4)];
                decimal[] items = [.. Enumerable.Range(0, lengths[0] * lengths[1] * lengths[2]).Select(_ => random.Next() / 100m)];
                return new PgArray<decimal>(items, lengths, [random.Next(-9, 9), 1, random.Next(-9, 9)]);
            },
            (left, right) => left.Items.SequenceEqual(right.Items) && left.Rank == right.Rank && left.GetLength(1) == right.GetLength(1)
                && left.GetLowerBound(0) == right.GetLowerBound(0) && left.GetLowerBound(2) == right.GetLowerBound(2));
    }

    [Fact]
    public void Ranges()
    {
        Check(RandomRange);
        Check(random => Enumerable.Range(0, random.Next(4)).Select(_ => RandomRange(random)).ToArray(), Same);
    }

    private static PgRange<long> RandomRange(Random random) => random.Next(5) switch
    {
        0 => PgRange.Empty<long>(),
        1 => PgRange.From((long)random.Next()),
        2 => PgRange.To((long)random.Next(), inclusive: true),
        _ => new PgRange<long>(random.Next(), random.Next(2) == 0, random.NextInt64(), random.Next(2) == 0),
    };

    private static bool Same<T>(T[] left, T[] right) => left.SequenceEqual(right);

    private static double Finite(double value) => double.IsFinite(value) ? value : 0;

    private static string Digits(Random random, int max) => string.Concat(Enumerable.Range(0, random.Next(1, max)).Select(_ => random.Next(10)));

    private static string Text(Random random) => new([.. Enumerable.Range(0, random.Next(6)).Select(_ => "ab,{}\"\\ \u00e4NUL"[random.Next(12)])]);

    private void Check<T>(Func<Random, T> make, Func<T, T, bool>? areEqual = null)
    {
        output.WriteLine($"seed {_seed} for {typeof(T)}");
        var random = new Random(_seed);
        areEqual ??= EqualityComparer<T>.Default.Equals;
        PgCodec<T> codec = PgCodec.For<T>();
        for (int index = 0; index < Count; index++)
        {
            T value = make(random);
            byte[] wire = new byte[codec.Measure(value)];
            codec.Write(value, wire);
            var field = new PgField(wire, codec.TypeIdOf(value), codec.ParameterFormat);
            T read = codec.Read(field);
            Assert.True(areEqual(value, read), $"seed {_seed}, {index}: {value} came back as {read}");

            var sink = new Utf8Sink([]);
            FieldText.Write(field, ref sink);
            read = codec.Read(new PgField(sink.Written, codec.TypeIdOf(value), PgFormat.Text));
            sink.Dispose();
            Assert.True(areEqual(value, read), $"seed {_seed}, {index}: the text of {value} came back as {read}");
        }
    }
}
