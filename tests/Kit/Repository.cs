using System.Reflection;

namespace Ioxide.TestKit;

/// <summary>Where the repository lies that the tests were built from.</summary>
internal static class Repository
{
    internal static string Root { get; } = typeof(Repository).Assembly
        .GetCustomAttributes<AssemblyMetadataAttribute>().Single(static metadata => metadata.Key == "RepositoryRoot").Value!; // tests/Directory.Build.props
}
