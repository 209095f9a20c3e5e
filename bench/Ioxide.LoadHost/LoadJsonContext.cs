using System.Text.Json.Serialization;

namespace Ioxide.LoadHost;

[JsonSourceGenerationOptions(PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase)]
[JsonSerializable(typeof(Greeting))]
[JsonSerializable(typeof(HostStats))]
[JsonSerializable(typeof(List<ItemRow>))]
[JsonSerializable(typeof(ItemChange))]
[JsonSerializable(typeof(List<PricedItem>))]
[JsonSerializable(typeof(int))]
internal sealed partial class LoadJsonContext : JsonSerializerContext;
