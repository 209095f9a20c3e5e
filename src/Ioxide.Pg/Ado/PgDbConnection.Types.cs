namespace Ioxide.Pg.Data;

/// <summary>The types of the database, which the first connection of a data source reads.</summary>
public partial class PgDbConnection
{
    /// <summary>Reads the types of the database again, after some were created.</summary>
    /// <exception cref="InvalidOperationException">The connection is not open, or a reader of it is.</exception>
    public void ReloadTypes()
    {
        ThrowIfReading();
        PgSession session = Session;
        Source.Set(BlockingWait.For(session, session, static session => CatalogQuery.RunAsync(session, default)));
    }

    /// <inheritdoc cref="ReloadTypes"/>
    public async Task ReloadTypesAsync(CancellationToken cancellationToken = default)
    {
        ThrowIfReading();
        Source.Set(await CatalogQuery.RunAsync(Session, cancellationToken).ConfigureAwait(false));
    }

    // Connections that open at the same time each read them: none waits for another, and the query takes less than a millisecond.
    private static void LoadTypes(PgDbDataSource source, PgSession session)
    {
        if (!source.NeedsTypes)
        {
            return;
        }

        try
        {
            source.Set(BlockingWait.For(session, session, static session => CatalogQuery.RunAsync(session, default)));
        }
        catch
        {
            _ = session.DisposeAsync().AsTask();
            throw;
        }
    }

    private static async ValueTask LoadTypesAsync(PgDbDataSource source, PgSession session, CancellationToken cancellationToken)
    {
        if (!source.NeedsTypes)
        {
            return;
        }

        try
        {
            source.Set(await CatalogQuery.RunAsync(session, cancellationToken).ConfigureAwait(false));
        }
        catch
        {
            await session.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }
}
