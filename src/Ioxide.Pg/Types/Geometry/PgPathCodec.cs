namespace Ioxide.Pg;

/// <summary><c>path</c>.</summary>
internal sealed class PgPathCodec() : ValueCodec<PgPath>(PgTypeId.Path)
{
    internal static readonly PgPathCodec Instance = new();

    public override int Measure(PgPath value) => 1 + PointsWire.Measure(value.Points);

    public override void Write(PgPath value, Span<byte> destination)
    {
        destination[0] = value.IsClosed ? (byte)1 : (byte)0;
        PointsWire.Write(value.Points, destination[1..]);
    }

    protected override PgPath ReadBinary(ReadOnlySpan<byte> bytes, uint typeId)
    {
        bool isClosed = PointsWire.TakeClosed(ref bytes);
        return new PgPath(PointsWire.Read(bytes, typeId), isClosed);
    }

    protected override bool TryReadText(ReadOnlySpan<byte> text, uint typeId, out PgPath value)
    {
        bool isShape = PointsWire.TryParse(text, out PgPoint[] points);
        value = new PgPath(points, text is not [(byte)'[', ..]);
        return isShape;
    }
}
