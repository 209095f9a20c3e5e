namespace Ioxide.Pg;

/// <summary>An <c>lseg</c>: a line segment.</summary>
/// <param name="Start">One end.</param>
/// <param name="End">The other end.</param>
public readonly record struct PgLineSegment(PgPoint Start, PgPoint End) : IPgShape<PgLineSegment>
{
    static int IPgShape<PgLineSegment>.NumberCount => 4;

    /// <summary>Returns the server's text: <c>[(1,2),(3,4)]</c>.</summary>
    public override string ToString() => GeometryText.Print(this);

    static PgLineSegment IPgShape<PgLineSegment>.Read(ReadOnlySpan<double> numbers) => new(new PgPoint(numbers[0], numbers[1]), new PgPoint(numbers[2], numbers[3]));

    void IPgShape<PgLineSegment>.CopyTo(Span<double> numbers)
    {
        numbers[0] = Start.X;
        numbers[1] = Start.Y;
        numbers[2] = End.X;
        numbers[3] = End.Y;
    }
}
