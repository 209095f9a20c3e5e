namespace Ioxide.Pg;

/// <summary>What <see cref="Data.TransactionBegin"/> keeps.</summary>
internal sealed class PgStatement;
