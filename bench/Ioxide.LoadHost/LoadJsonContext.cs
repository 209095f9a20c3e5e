using System.Text.Json.Serialization;

namespace Ioxide.LoadHost;

[JsonSourceGenerationOptions(PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase)]
[JsonSerializable(typeof(Greeting))]
[JsonSerializable(typeof(HostStats))]
internal sealed partial class LoadJsonContext : JsonSerializerContext;
