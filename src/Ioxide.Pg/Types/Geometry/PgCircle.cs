namespace Ioxide.Pg;

/// <summary>A <c>circle</c>.</summary>
/// <param name="Center">Its centre.</param>
/// <param name="Radius">Its radius, not negative.</param>
public readonly record struct PgCircle(PgPoint Center, double Radius) : IPgShape<PgCircle>
{
    static int IPgShape<PgCircle>.NumberCount => 3;

    /// <summary>Returns the server's text: <c>&lt;(1,2),3&gt;</c>.</summary>
    public override string ToString() => GeometryText.Print(this);

    static PgCircle IPgShape<PgCircle>.Read(ReadOnlySpan<double> numbers) => new(new PgPoint(numbers[0], numbers[1]), numbers[2]);

    void IPgShape<PgCircle>.CopyTo(Span<double> numbers)
    {
        numbers[0] = Center.X;
        numbers[1] = Center.Y;
        numbers[2] = Radius;
    }
}
