namespace Ioxide.Pg;

/// <summary>A <c>point</c>.</summary>
/// <param name="X">The first coordinate.</param>
/// <param name="Y">The second coordinate.</param>
public readonly record struct PgPoint(double X, double Y) : IPgShape<PgPoint>
{
    static int IPgShape<PgPoint>.NumberCount => 2;

    /// <summary>Returns the server's text: <c>(1,2)</c>.</summary>
    public override string ToString() => GeometryText.Print(this);

    static PgPoint IPgShape<PgPoint>.Read(ReadOnlySpan<double> numbers) => new(numbers[0], numbers[1]);

    void IPgShape<PgPoint>.CopyTo(Span<double> numbers)
    {
        numbers[0] = X;
        numbers[1] = Y;
    }
}
