namespace Ioxide.Pg;

/// <summary>Takes one row.</summary>
/// <param name="row">Valid inside the call only.</param>
/// <param name="state">The caller's.</param>
public delegate void PgRowAction<in TState>(PgRow row, TState state);
