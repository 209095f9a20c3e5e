using System.Data.Common;

namespace Ioxide.Pg.Data;

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
