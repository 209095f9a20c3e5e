using Npgsql;

namespace Ioxide.LoadHost;

/// <summary>The driver goes with the transport unless told: Ioxide.Pg on io_uring, Npgsql at its best on sockets.</summary>
internal static class DatabaseChoice
{
    private const int NpgsqlPoolSize = 16;

    internal static void AddDatabase(this IServiceCollection services, LoadHostOptions options)
    {
        if (options.Database is not { } connectionString)
        {
            return;
        }

        services.AddSingleton<ItemCache>();
        if (options.UsesIoxidePg)
        {
            services.AddIoxidePg(connectionString);
            return;
        }

        var builder = new NpgsqlConnectionStringBuilder(connectionString)
        {
            MinPoolSize = NpgsqlPoolSize,
            MaxPoolSize = NpgsqlPoolSize,
            NoResetOnClose = true,
            MaxAutoPrepare = 20,
        };
        builder.Multiplexing = options.IsMultiplexing;
        services.AddSingleton(NpgsqlDataSource.Create(builder.ConnectionString));
    }

    internal static void MapDatabase(this IEndpointRouteBuilder routes, LoadHostOptions options)
    {
        if (options.Database is null)
        {
            return;
        }

        if (options.UsesIoxidePg)
        {
            routes.MapIoxideDatabase(options.HasPgObjects);
        }
        else
        {
            routes.MapStockDatabase();
        }
    }
}
