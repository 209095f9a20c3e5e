using System.Data;
using System.Diagnostics.CodeAnalysis;

namespace Ioxide.Pg.Data;

/// <summary>The connection string, and the data source that it leads to.</summary>
public partial class PgDbConnection
{
    // The data source that made it; none once a connection string was set.
    private PgDbDataSource? _bound;
    private PgDbDataSource? _source;
    private ConnectionText? _text;
    private bool _wasOpened;

    /// <summary>
    /// Where it connects to. It can be set while the connection is closed. After it was opened the password is left out, unless
    /// <c>Persist Security Info</c> is set; a connection of a data source never shows one.
    /// </summary>
    /// <exception cref="InvalidOperationException">Set: the connection is open.</exception>
    /// <exception cref="ArgumentException">Set: it is malformed.</exception>
    [AllowNull]
    public override string ConnectionString
    {
        get => _text is not null ? (_wasOpened ? _text.VisibleText : _text.Text) : _bound?.ConnectionString ?? "";
        set
        {
            ObjectDisposedException.ThrowIf(_isDisposed, this);
            if (_session is not null)
            {
                throw new InvalidOperationException("The connection string can be set while the connection is closed only. Close it first.");
            }

            _text = string.IsNullOrEmpty(value) ? null : ConnectionText.Get(value);
            _bound = _source = null;
            _wasOpened = false;
        }
    }

    /// <summary>The database; empty where nothing says it.</summary>
    public override string Database => Options is { } options ? options.Database ?? options.Username ?? "" : "";

    /// <summary>The server that it leads to; the first of the options while it is closed.</summary>
    public override string DataSource => _session?.Connection.Endpoint.ToString() ?? Options?.Hosts.FirstOrDefault()?.ToString() ?? "";

    /// <summary>Seconds that one host may take until the session is ready; 0 is without limit. Defaults to 15.</summary>
    public override int ConnectionTimeout => (int)(Options?.ConnectTimeout.TotalSeconds ?? 15);

    internal PgDbDataSource Source => _source ?? throw new InvalidOperationException("The connection is not open.");

    /// <summary>Of commands that do not say it.</summary>
    internal TimeSpan DefaultCommandTimeout => Options?.CommandTimeout ?? TimeSpan.FromSeconds(30);

    // Filled in once there is a data source; before, as written.
    private PgDataSourceOptions? Options => _bound?.Source.Options ?? (_session is null ? _text?.Options : Source.Source.Options);

    /// <summary>Closes the idle connections of the connection's string or data source now, and those in use when they are closed.</summary>
    public static void ClearPool(PgDbConnection connection)
    {
        ArgumentNullException.ThrowIfNull(connection);
        if (connection._text is { } text)
        {
            SharedSources.Clear(text);
        }
        else
        {
            connection._bound?.Clear();
        }
    }

    /// <summary>Does so for all connection strings. Data sources that the application made are left alone.</summary>
    public static void ClearAllPools() => SharedSources.ClearAll();

    /// <summary>Closes the connection and opens one to another database of the same server.</summary>
    /// <exception cref="InvalidOperationException">It is not open.</exception>
    /// <exception cref="NotSupportedException">It belongs to a data source, which has one database.</exception>
    public override void ChangeDatabase(string databaseName)
    {
        ArgumentException.ThrowIfNullOrEmpty(databaseName);
        if (_bound is not null)
        {
            throw new NotSupportedException("The connection belongs to a data source, which has one database. Make a data source for the other one.");
        }

        if (State != ConnectionState.Open || _text is null)
        {
            throw new InvalidOperationException("The connection is not open.");
        }

        var builder = PgDbConnectionStringBuilder.Of(_text.Options);
        builder.Database = databaseName;
        Close();
        ConnectionString = builder.ConnectionString;
        Open();
    }

    private PgDbDataSource FindSource()
        => _bound ?? SharedSources.Get(_text ?? throw new InvalidOperationException("The connection has no connection string. Set ConnectionString first."));
}
