using NpgsqlTypes;

namespace Ioxide.Pg.Tests;

internal static partial class WireCases
{
    private static IEnumerable<KeyValuePair<string, WireCase>> Shapes() =>
    [
        Values("point", Point, AnyPoint, default, new PgPoint(double.MaxValue, -double.Epsilon), new PgPoint(double.NaN, double.PositiveInfinity)),
        Values("line", static value => new NpgsqlLine(value.A, value.B, value.C),
            static random => new PgLine(1 + random.NextDouble(), AnyNumber(random), AnyNumber(random)), new PgLine(0, 1, 0), new PgLine(-1, 0, 1e300)),
        Values("lseg", static value => new NpgsqlLSeg(Point(value.Start), Point(value.End)),
            static random => new PgLineSegment(AnyPoint(random), AnyPoint(random)), default(PgLineSegment)),
        Values("box", static value => new NpgsqlBox(Point(value.UpperRight), Point(value.LowerLeft)), AnyBox, default(PgBox)),
        Values("path", static value => new NpgsqlPath(value.Points.ToArray().Select(Point).ToArray(), !value.IsClosed),
            static random => new PgPath(AnyPoints(random), random.Next(2) == 0), new PgPath([default], true), new PgPath([default], false)),
        Values("polygon", static value => new NpgsqlPolygon(value.Points.ToArray().Select(Point).ToArray()),
            static random => new PgPolygon(AnyPoints(random)), new PgPolygon(default(PgPoint))),
        Values("circle", static value => new NpgsqlCircle(Point(value.Center), value.Radius),
            static random => new PgCircle(AnyPoint(random), Math.Abs(AnyNumber(random))), new PgCircle(default, 0), new PgCircle(default, 1e300)),
    ];

    private static NpgsqlPoint Point(PgPoint value) => new(value.X, value.Y);

    private static PgPoint AnyPoint(Random random) => new(AnyNumber(random), AnyNumber(random));

    private static PgPoint[] AnyPoints(Random random) => [.. Enumerable.Range(0, random.Next(1, 6)).Select(_ => AnyPoint(random))];

    private static double AnyNumber(Random random) => (random.NextDouble() - 0.5) * Math.Pow(10, random.Next(-300, 300));

    /// <summary>The server turns the corners round, so they are given as it has them.</summary>
    private static PgBox AnyBox(Random random)
    {
        PgPoint one = AnyPoint(random), other = AnyPoint(random);
        return new PgBox(
            new PgPoint(Math.Max(one.X, other.X), Math.Max(one.Y, other.Y)), new PgPoint(Math.Min(one.X, other.X), Math.Min(one.Y, other.Y)));
    }
}
