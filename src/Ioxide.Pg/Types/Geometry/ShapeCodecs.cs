namespace Ioxide.Pg;

/// <summary>The codecs of shapes of a fixed count of numbers.</summary>
internal static class ShapeCodecs
{
    internal static readonly ShapeCodec<PgPoint> Point = new(PgTypeId.Point);
    internal static readonly ShapeCodec<PgLine> Line = new(PgTypeId.Line);
    internal static readonly ShapeCodec<PgLineSegment> LineSegment = new(PgTypeId.LineSegment);
    internal static readonly ShapeCodec<PgBox> Box = new(PgTypeId.Box);
    internal static readonly ShapeCodec<PgCircle> Circle = new(PgTypeId.Circle);
}
