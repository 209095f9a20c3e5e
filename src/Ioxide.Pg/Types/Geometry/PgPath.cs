namespace Ioxide.Pg;

/// <summary>A <c>path</c>: a sequence of points.</summary>
public readonly struct PgPath : IEquatable<PgPath>
{
    private readonly PgPoint[]? _points;

    /// <param name="points">The points.</param>
    /// <param name="isClosed">Whether the last point is joined to the first.</param>
    public PgPath(PgPoint[] points, bool isClosed)
    {
        ArgumentNullException.ThrowIfNull(points);
        _points = points;
        IsClosed = isClosed;
    }

    /// <summary>Whether the last point is joined to the first.</summary>
    public bool IsClosed { get; }

    /// <summary>The points.</summary>
    public ReadOnlySpan<PgPoint> Points => _points;

    /// <summary>Whether two paths have the same points in the same order, and both are open or both closed.</summary>
    public static bool operator ==(PgPath left, PgPath right) => left.Equals(right);

    /// <summary>Whether two paths differ.</summary>
    public static bool operator !=(PgPath left, PgPath right) => !left.Equals(right);

    /// <inheritdoc/>
    public bool Equals(PgPath other) => Points.SequenceEqual(other.Points) && IsClosed == other.IsClosed;

    /// <inheritdoc/>
    public override bool Equals(object? obj) => obj is PgPath other && Equals(other);

    /// <inheritdoc/>
    public override int GetHashCode() => Points.IsEmpty ? 0 : HashCode.Combine(Points.Length, Points[0], Points[^1]);

    /// <summary>Returns the server's text: <c>((1,2),(3,4))</c>.</summary>
    public override string ToString() => GeometryText.Print(PgTypeId.Path, PgPathCodec.Instance, this);
}
