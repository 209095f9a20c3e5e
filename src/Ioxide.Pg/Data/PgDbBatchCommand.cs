using System.Data;
using System.Data.Common;
using System.Diagnostics.CodeAnalysis;

namespace Ioxide.Pg.Data;

/// <summary>One command of a batch, with parameters of its own.</summary>
public sealed class PgDbBatchCommand : DbBatchCommand
{
    private string _text;
    private int _recordsAffected = -1;

    /// <summary>Makes a command.</summary>
    public PgDbBatchCommand()
        : this(null)
    {
    }

    /// <summary>Makes a command with its text.</summary>
    public PgDbBatchCommand(string? text) => _text = text ?? "";

    /// <inheritdoc/>
    [AllowNull]
    public override string CommandText
    {
        get => _text;
        set => _text = value ?? "";
    }

    /// <inheritdoc/>
    public override CommandType CommandType { get; set; } = CommandType.Text;

    /// <summary>Rows that it changed; -1 where it changes none, and before it ran.</summary>
    public override int RecordsAffected => _recordsAffected;

    /// <inheritdoc/>
    public override bool CanCreateParameter => true;

    /// <inheritdoc cref="DbBatchCommand.Parameters"/>
    public new PgDbParameterCollection Parameters { get; } = new();

    /// <inheritdoc/>
    protected override DbParameterCollection DbParameterCollection => Parameters;

    /// <inheritdoc/>
    public override DbParameter CreateParameter() => new PgDbParameter();

    internal void Started() => _recordsAffected = -1;

    internal void Affected(int count) => _recordsAffected = Math.Max(_recordsAffected, 0) + count;
}

/// <summary>The commands of a batch, in order.</summary>
public sealed class PgDbBatchCommandCollection : DbBatchCommandCollection
{
    internal List<PgDbBatchCommand> Items { get; } = [];

    internal PgDbBatchCommandCollection()
    {
    }

    /// <inheritdoc/>
    public override int Count => Items.Count;

    /// <inheritdoc/>
    public override bool IsReadOnly => false;

    /// <inheritdoc/>
    public override void Add(DbBatchCommand item) => Items.Add(Cast(item));

    /// <inheritdoc/>
    public override void Clear() => Items.Clear();

    /// <inheritdoc/>
    public override bool Contains(DbBatchCommand item) => item is PgDbBatchCommand command && Items.Contains(command);

    /// <inheritdoc/>
    public override void CopyTo(DbBatchCommand[] array, int arrayIndex)
    {
        ArgumentNullException.ThrowIfNull(array);
        for (int i = 0; i < Items.Count; i++)
        {
            array[arrayIndex + i] = Items[i];
        }
    }

    /// <inheritdoc/>
    public override IEnumerator<DbBatchCommand> GetEnumerator() => Items.GetEnumerator();

    /// <inheritdoc/>
    public override int IndexOf(DbBatchCommand item) => item is PgDbBatchCommand command ? Items.IndexOf(command) : -1;

    /// <inheritdoc/>
    public override void Insert(int index, DbBatchCommand item) => Items.Insert(index, Cast(item));

    /// <inheritdoc/>
    public override bool Remove(DbBatchCommand item) => item is PgDbBatchCommand command && Items.Remove(command);

    /// <inheritdoc/>
    public override void RemoveAt(int index) => Items.RemoveAt(index);

    /// <inheritdoc/>
    protected override DbBatchCommand GetBatchCommand(int index) => Items[index];

    /// <inheritdoc/>
    protected override void SetBatchCommand(int index, DbBatchCommand batchCommand) => Items[index] = Cast(batchCommand);

    private static PgDbBatchCommand Cast(DbBatchCommand command)
        => command as PgDbBatchCommand ?? throw new InvalidCastException($"Only a {nameof(PgDbBatchCommand)} can be added.");
}
