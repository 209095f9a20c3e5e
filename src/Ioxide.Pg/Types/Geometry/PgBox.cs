namespace Ioxide.Pg;

/// <summary>A <c>box</c>. The server orders its corners.</summary>
/// <param name="UpperRight">The corner with the larger coordinates.</param>
/// <param name="LowerLeft">The corner with the smaller coordinates.</param>
public readonly record struct PgBox(PgPoint UpperRight, PgPoint LowerLeft)
{
    /// <summary>Returns the server's text: <c>(3,4),(1,2)</c>.</summary>
    public override string ToString() => GeometryText.Print(this);
}
