namespace Ioxide.Pg;

/// <summary><c>polygon</c>.</summary>
internal sealed class PgPolygonCodec() : ValueCodec<PgPolygon>(PgTypeId.Polygon)
{
    internal static readonly PgPolygonCodec Instance = new();

    public override int Measure(PgPolygon value) => PointsWire.Measure(value.Points);

    public override void Write(PgPolygon value, Span<byte> destination)
    {
        PointsWire.Write(value.Points, destination);
    }

    protected override PgPolygon ReadBinary(ReadOnlySpan<byte> bytes, uint typeId)
    {
        return new PgPolygon(PointsWire.Read(bytes, typeId));
    }

    protected override bool TryReadText(ReadOnlySpan<byte> text, uint typeId, out PgPolygon value)
    {
        bool isShape = PointsWire.TryParse(text, out PgPoint[] points);
        value = new PgPolygon(points);
        return isShape;
    }
}
