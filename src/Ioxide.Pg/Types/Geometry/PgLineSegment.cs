namespace Ioxide.Pg;

/// <summary>An <c>lseg</c>: a line segment.</summary>
/// <param name="Start">One end.</param>
/// <param name="End">The other end.</param>
public readonly record struct PgLineSegment(PgPoint Start, PgPoint End)
{
    /// <summary>Returns the server's text: <c>[(1,2),(3,4)]</c>.</summary>
    public override string ToString() => GeometryText.Print(this);
}
