namespace Ioxide.Pg;

/// <summary>A <c>polygon</c>: a sequence of corners.</summary>
public readonly struct PgPolygon : IEquatable<PgPolygon>
{
    private readonly PgPoint[]? _points;

    /// <param name="points">The corners.</param>
    public PgPolygon(params PgPoint[] points)
    {
        ArgumentNullException.ThrowIfNull(points);
        _points = points;
    }

    /// <summary>The corners.</summary>
    public ReadOnlySpan<PgPoint> Points => _points;

    /// <summary>Whether two polygons have the same corners in the same order.</summary>
    public static bool operator ==(PgPolygon left, PgPolygon right) => left.Equals(right);

    /// <summary>Whether two polygons differ in a corner.</summary>
    public static bool operator !=(PgPolygon left, PgPolygon right) => !left.Equals(right);

    /// <inheritdoc/>
    public bool Equals(PgPolygon other) => Points.SequenceEqual(other.Points);

    /// <inheritdoc/>
    public override bool Equals(object? obj) => obj is PgPolygon other && Equals(other);

    /// <inheritdoc/>
    public override int GetHashCode() => Points.IsEmpty ? 0 : HashCode.Combine(Points.Length, Points[0], Points[^1]);

    /// <summary>Returns the server's text: <c>((1,2),(3,4))</c>.</summary>
    public override string ToString() => GeometryText.Print(PgTypeId.Polygon, PgPolygonCodec.Instance, this);
}
