using System.Diagnostics.CodeAnalysis;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;

namespace Ioxide.Docs.Tests;

/// <summary>What a build tells the analyzers of a project that names no platform.</summary>
internal sealed class ProjectProperties : AnalyzerConfigOptionsProvider
{
    public override AnalyzerConfigOptions GlobalOptions { get; } = new Properties();

    public override AnalyzerConfigOptions GetOptions(SyntaxTree tree) => GlobalOptions;

    public override AnalyzerConfigOptions GetOptions(AdditionalText textFile) => GlobalOptions;

    private sealed class Properties : AnalyzerConfigOptions
    {
        public override bool TryGetValue(string key, [NotNullWhen(true)] out string? value)
        {
            value = key switch
            {
                "build_property.TargetFramework" => "net10.0",
                "build_property.TargetFrameworkIdentifier" => ".NETCoreApp",
                "build_property.TargetFrameworkVersion" => "v10.0",
                "build_property._SupportedPlatformList" => "Linux,macOS,Windows",
                _ => null,
            };
            return value is not null;
        }
    }
}
