using System.Buffers.Text;
using System.Text;

namespace Ioxide.Pg;

/// <summary>The outcome of a command: its name, and the number of rows that it returned or changed.</summary>
/// <remarks>Source: PostgreSQL manual, 55.7, CommandComplete.</remarks>
public readonly struct PgTag : IEquatable<PgTag>
{
    private readonly string? _command;

    private PgTag(string command, long rowsAffected)
    {
        _command = command;
        RowsAffected = rowsAffected;
    }

    /// <summary>SELECT, INSERT, CREATE TABLE and so on; empty for an empty statement.</summary>
    public string Command => _command ?? "";

    /// <summary>The number of rows returned, inserted, updated, deleted, moved over or copied; -1 where the command has no count.</summary>
    public long RowsAffected { get; }

    /// <inheritdoc/>
    public override string ToString() => RowsAffected < 0 ? Command : $"{Command} {RowsAffected}";

    /// <inheritdoc/>
    public bool Equals(PgTag other) => Command == other.Command && RowsAffected == other.RowsAffected;

    /// <inheritdoc/>
    public override bool Equals(object? obj) => obj is PgTag other && Equals(other);

    /// <inheritdoc/>
    public override int GetHashCode() => HashCode.Combine(Command, RowsAffected);

    /// <summary>Compares command and count.</summary>
    public static bool operator ==(PgTag left, PgTag right) => left.Equals(right);

    /// <summary>Compares command and count.</summary>
    public static bool operator !=(PgTag left, PgTag right) => !left.Equals(right);

    /// <summary>It began a transaction.</summary>
    internal bool IsBegin => Command is "BEGIN" or "START TRANSACTION";

    internal static PgTag Empty => new("", -1);

    /// <summary>Reads <c>INSERT 0 5</c>, <c>SELECT 12</c>, <c>CREATE TABLE</c>. Allocates nothing for the usual commands.</summary>
    internal static PgTag Read(ReadOnlySpan<byte> body)
    {
        ReadOnlySpan<byte> text = body.IsEmpty ? body : body[..^1];
        long rows = -1;
        int lastSpace = text.LastIndexOf((byte)' ');
        if (lastSpace > 0 && Utf8Parser.TryParse(text[(lastSpace + 1)..], out long count, out int used)
            && used == text.Length - lastSpace - 1 && count >= 0)
        {
            rows = count;
            text = text[..lastSpace];
            if (text.EndsWith(" 0"u8))
            {
                text = text[..^2];
            }
        }

        return new PgTag(NameOf(text), rows);
    }

    private static string NameOf(ReadOnlySpan<byte> command) => command switch
    {
        _ when command.SequenceEqual("SELECT"u8) => "SELECT",
        _ when command.SequenceEqual("UPDATE"u8) => "UPDATE",
        _ when command.SequenceEqual("INSERT"u8) => "INSERT",
        _ when command.SequenceEqual("DELETE"u8) => "DELETE",
        _ when command.SequenceEqual("BEGIN"u8) => "BEGIN",
        _ when command.SequenceEqual("COMMIT"u8) => "COMMIT",
        _ when command.SequenceEqual("ROLLBACK"u8) => "ROLLBACK",
        _ when command.SequenceEqual("SET"u8) => "SET",
        _ when command.SequenceEqual("COPY"u8) => "COPY",
        _ => Encoding.UTF8.GetString(command),
    };
}
