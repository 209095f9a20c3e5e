namespace Ioxide.Pg;

/// <summary>Processes one row.</summary>
/// <param name="row">Valid inside the call only.</param>
/// <param name="state">The caller's state.</param>
public delegate void PgRowAction<in TState>(PgRow row, TState state);
