using System.Data;
using System.Data.Common;

namespace Ioxide.Pg.Data;

/// <summary>Fills a <see cref="DataSet"/> and writes its changes back. Threads: one at a time.</summary>
public sealed class PgDbDataAdapter : DbDataAdapter
{
    /// <summary>Creates an adapter without commands.</summary>
    public PgDbDataAdapter()
    {
    }

    /// <summary>Creates an adapter with a SELECT command.</summary>
    public PgDbDataAdapter(PgDbCommand selectCommand) => SelectCommand = selectCommand;

    /// <summary>Creates an adapter with a SELECT command.</summary>
    public PgDbDataAdapter(string selectCommandText, PgDbConnection connection)
        : this(new PgDbCommand(selectCommandText, connection))
    {
    }

    /// <summary>Raised before a row is written.</summary>
    public event EventHandler<RowUpdatingEventArgs>? RowUpdating;

    /// <summary>Raised after a row was written, or failed to be written.</summary>
    public event EventHandler<RowUpdatedEventArgs>? RowUpdated;

    /// <inheritdoc cref="DbDataAdapter.SelectCommand"/>
    public new PgDbCommand? SelectCommand
    {
        get => (PgDbCommand?)base.SelectCommand;
        set => base.SelectCommand = value;
    }

    /// <inheritdoc cref="DbDataAdapter.InsertCommand"/>
    public new PgDbCommand? InsertCommand
    {
        get => (PgDbCommand?)base.InsertCommand;
        set => base.InsertCommand = value;
    }

    /// <inheritdoc cref="DbDataAdapter.UpdateCommand"/>
    public new PgDbCommand? UpdateCommand
    {
        get => (PgDbCommand?)base.UpdateCommand;
        set => base.UpdateCommand = value;
    }

    /// <inheritdoc cref="DbDataAdapter.DeleteCommand"/>
    public new PgDbCommand? DeleteCommand
    {
        get => (PgDbCommand?)base.DeleteCommand;
        set => base.DeleteCommand = value;
    }

    /// <inheritdoc/>
    [ApplicationSide]
    protected override void OnRowUpdating(RowUpdatingEventArgs value) => RowUpdating?.Invoke(this, value);

    /// <inheritdoc/>
    [ApplicationSide]
    protected override void OnRowUpdated(RowUpdatedEventArgs value) => RowUpdated?.Invoke(this, value);
}
