namespace Ioxide.Pg;

/// <summary>A row was required, but the command returned none.</summary>
public sealed class PgNoRowException : InvalidOperationException
{
    internal PgNoRowException()
        : base("The command returned no row. Ask with an OrDefault method where that is no error.")
    {
    }
}
