using System.Data.Common;
using System.Reflection;
using Hangfire.PostgreSql;
using Npgsql;

namespace Ioxide.Pg.Tests;

/// <summary>Hangfire.PostgreSql takes connections of Npgsql only. Where this fails, it may run on the facade, and the documents say that it cannot.</summary>
[Once]
public class HangfireTests
{
    [Fact]
    public void ItsConnectionsAreNpgsqlsByType()
    {
        MethodInfo open = Assert.Single(typeof(IConnectionFactory).GetMethods());
        Assert.Equal(typeof(NpgsqlConnection), open.ReturnType);
        Assert.True(typeof(NpgsqlConnection).IsSealed);

        // Nothing else that makes a storage takes a connection, a data source or a factory of ADO.NET.
        Assert.DoesNotContain(
            typeof(PostgreSqlStorage).GetConstructors().Concat<MethodBase>(typeof(PostgreSqlBootstrapperConfigurationExtensions).GetMethods())
                .SelectMany(static method => method.GetParameters()),
            static parameter => parameter.ParameterType == typeof(DbConnection) || parameter.ParameterType == typeof(DbDataSource)
                || parameter.ParameterType == typeof(DbProviderFactory) || parameter.ParameterType == typeof(Func<DbConnection>));
    }
}
