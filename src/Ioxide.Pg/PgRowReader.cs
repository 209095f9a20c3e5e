namespace Ioxide.Pg;

/// <summary>Converts a row.</summary>
/// <param name="row">Valid inside the call only.</param>
public delegate T PgRowReader<out T>(PgRow row);
