//! The stores of a session: those that a program has registered, and those of clouds, which are made when a location names one.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use datafusion::common::plan_datafusion_err;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::object_store::{DefaultObjectStoreRegistry, ObjectStoreRegistry};
use object_store::ObjectStore;
use url::{Position, Url};

/// Returns the stores that the sessions of [`session`](crate::session) have: the files of this machine, those that a program registers, and, with the
/// feature `clouds`, those of `s3://`, `gs://`, `az://` and `http(s)://`. A store of a cloud is made when it is first needed, from the usual environment
/// variables, one for each bucket, and kept.
///
/// Other sessions, and the processes of a cluster, get them so:
///
/// ```
/// use datafusion::execution::runtime_env::RuntimeEnvBuilder;
/// use datafusion::prelude::{SessionConfig, SessionContext};
///
/// let runtime = RuntimeEnvBuilder::new().with_object_store_registry(npy_datafusion::object_stores());
/// let ctx = SessionContext::new_with_config_rt(SessionConfig::new(), runtime.build_arc()?);
/// # let _ = ctx;
/// # Ok::<(), datafusion::error::DataFusionError>(())
/// ```
pub fn object_stores() -> Arc<dyn ObjectStoreRegistry> {
    Arc::new(Stores::default())
}

#[derive(Debug, Default)]
struct Stores {
    registered: DefaultObjectStoreRegistry,
    /// The stores of clouds by their keys; also registered ones whose URLs have a container, which DataFusion would leave out of the key.
    by_key: Mutex<HashMap<String, Arc<dyn ObjectStore>>>,
}

impl Stores {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, Arc<dyn ObjectStore>>> {
        self.by_key.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ObjectStoreRegistry for Stores {
    fn register_store(
        &self,
        url: &Url,
        store: Arc<dyn ObjectStore>,
    ) -> Option<Arc<dyn ObjectStore>> {
        match has_container(url) {
            true => self.lock().insert(key(url), store),
            false => self.registered.register_store(url, store),
        }
    }

    fn deregister_store(&self, url: &Url) -> Result<Arc<dyn ObjectStore>> {
        if let Some(store) = self.lock().remove(&key(url)) {
            return Ok(store);
        }
        self.registered.deregister_store(url).map_err(|_| missing(url))
    }

    fn get_store(&self, url: &Url) -> Result<Arc<dyn ObjectStore>> {
        if !has_container(url)
            && let Ok(store) = self.registered.get_store(url)
        {
            return Ok(store);
        }
        let mut by_key = self.lock();
        if let Some(store) = by_key.get(&key(url)) {
            return Ok(Arc::clone(store));
        }
        let store = made(url)?;
        by_key.insert(key(url), Arc::clone(&store));
        Ok(store)
    }
}

/// Returns the store of a location in a session with other stores than ours, which gets it.
pub(crate) fn made(url: &Url) -> Result<Arc<dyn ObjectStore>> {
    #[cfg(feature = "clouds")]
    if let Some(store) = crate::clouds::open(url)? {
        return Ok(store);
    }
    Err(missing(url))
}

/// Returns true for `abfs://container@account…/`: the container comes before the host.
pub(crate) fn has_container(url: &Url) -> bool {
    !url.username().is_empty() && !["http", "https"].contains(&url.scheme())
}

/// Returns the scheme, the container and the host of a URL.
fn key(url: &Url) -> String {
    let container = if has_container(url) { url.username() } else { "" };
    let host = &url[Position::BeforeHost..Position::AfterPort];
    format!("{}://{container}@{host}", url.scheme())
}

/// The error for a location in a store that the session does not have.
pub(crate) fn missing(url: &Url) -> DataFusionError {
    let (scheme, host) = (url.scheme(), url.host_str().unwrap_or_default());
    let made = match cfg!(feature = "clouds") {
        true => "there are s3, gs, az, http and https",
        false => "the feature clouds of npy-datafusion has s3, gs, az, http and https",
    };
    plan_datafusion_err!(
        "there is no store for {scheme}://{host}; {made}, and a program may register others (SessionContext::register_object_store)"
    )
}

#[cfg(test)]
mod tests {
    use object_store::memory::InMemory;

    use super::*;

    /// Guards containers before the host, which DataFusion takes for credentials: each is a store of its own.
    #[test]
    fn each_container_is_a_store() {
        let stores = object_stores();
        let url = |text: &str| Url::parse(text).unwrap();
        let (a, b) = ("abfs://a@x.dfs.core.windows.net/", "abfs://b@x.dfs.core.windows.net/");
        for text in [a, b, "mem://host/"] {
            assert!(stores.register_store(&url(text), Arc::new(InMemory::new())).is_none());
        }
        let store = |text: &str| stores.get_store(&url(text)).unwrap();
        assert!(Arc::ptr_eq(&store(a), &store(a)));
        assert!(!Arc::ptr_eq(&store(a), &store(b)));
        assert!(Arc::ptr_eq(&store("mem://host/dir/x.npy"), &store("mem://host/")));
        assert!(stores.deregister_store(&url(a)).is_ok());
        assert!(Arc::ptr_eq(&store(b), &store(b)));
    }

    /// Guards that a store of a cloud is made once.
    #[cfg(feature = "clouds")]
    #[test]
    fn each_bucket_is_a_store() {
        let stores = object_stores();
        let store = |text: &str| stores.get_store(&Url::parse(text).unwrap()).unwrap();
        assert!(Arc::ptr_eq(&store("s3://one/x.npy"), &store("s3://one/dir/")));
        assert!(!Arc::ptr_eq(&store("s3://one/"), &store("s3://two/")));
        assert!(!Arc::ptr_eq(&store("http://host:80/"), &store("http://host:81/")));
        let unknown = stores.get_store(&Url::parse("hdfs://host/").unwrap());
        assert!(unknown.unwrap_err().to_string().contains("there is no store for hdfs://host"));
    }
}
