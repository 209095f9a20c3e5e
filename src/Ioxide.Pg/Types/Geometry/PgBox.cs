namespace Ioxide.Pg;

/// <summary>A <c>box</c>. The server orders its corners.</summary>
/// <param name="UpperRight">The corner with the larger coordinates.</param>
/// <param name="LowerLeft">The corner with the smaller coordinates.</param>
public readonly record struct PgBox(PgPoint UpperRight, PgPoint LowerLeft) : IPgShape<PgBox>
{
    static int IPgShape<PgBox>.NumberCount => 4;

    /// <summary>Returns the server's text: <c>(3,4),(1,2)</c>.</summary>
    public override string ToString() => GeometryText.Print(this);

    static PgBox IPgShape<PgBox>.Read(ReadOnlySpan<double> numbers) => new(new PgPoint(numbers[0], numbers[1]), new PgPoint(numbers[2], numbers[3]));

    void IPgShape<PgBox>.CopyTo(Span<double> numbers)
    {
        numbers[0] = UpperRight.X;
        numbers[1] = UpperRight.Y;
        numbers[2] = LowerLeft.X;
        numbers[3] = LowerLeft.Y;
    }
}
